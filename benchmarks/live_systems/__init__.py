"""The live node and other systems in a common form: a publisher and a subscriber, each a process, and hops between.

The module of a system has

    VARIANTS                        its rows in the tables
    missing()                       what to install, if it is missing
    plan(variant, hops, folder)     the processes that make a line of so many hops
    publisher, subscriber, relay    what runs in our own processes
"""
