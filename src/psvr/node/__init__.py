"""The live node: brokerless publish/subscribe over UDP, on the rules of `psvr.protocol`, uncompiled."""
