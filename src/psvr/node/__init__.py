"""The live node: brokerless publish/subscribe over UDP, running the rules of `psvr.protocol` uncompiled."""
