"""The live node and other systems in one form: a publisher and a subscriber, each a process, and hops between them.

A module per system has

    VARIANTS                        its rows in the tables
    missing()                       what to install, if it is not here
    plan(variant, hops, folder)     which processes make a line of so many hops
    publisher, subscriber, relay    what runs in a process of ours
"""
