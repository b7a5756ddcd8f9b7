"""The wireless channel: IEEE 802.15.4 at 2.4 GHz, from the strength of a signal to the acknowledgement of a frame.

devices     data sheets, as files
choices     the channel of a scenario, with its defaults
placing     where nodes are, and which pairs have good links
loss        how much of a signal is lost over a distance
hearing     who hears whom, and how strongly: path loss, shadowing, the cache of neighbours
air         the memory of the channel
field       the air of a scenario, made anew when nodes have moved
errors      bit errors
fading      how the strength of a signal changes over time
signal      what is on the air at each receiver: interference, reception
access      CSMA-CA, the queue of a node, acknowledgement and retry
bursts      interference from other sources
moving      mobility of nodes
energy      the energy that radios use
quality     the quality of the links that nodes keep, claimed and measured
"""
