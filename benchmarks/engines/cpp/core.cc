// The workload on ns-3's event core alone: our own node objects, Simulator::Schedule, no packets or devices.
//     core NETWORK SECONDS reception|frame SCHEDULER
#include "mesh.h"

#include <chrono>
#include <cstring>
#include <memory>

#include "ns3/core-module.h"

using namespace ns3;

struct Node;
std::vector<std::unique_ptr<Node>> nodes;
std::vector<std::vector<int>> near;
Counts counts;
bool perReception;

int64_t now() { return Simulator::Now().GetTimeStep(); }    // the resolution is a microsecond

struct Node : Rules {
    int64_t frames = 0;
    Beacon beacon;
    Flood message;

    using Rules::Rules;

    void hearBeacon(Node* from) {
        counts.receptions++;
        onBeacon(now(), from->beacon);
    }

    void hearFlood(Node* from) {
        counts.receptions++;
        if (!onFlood(from->message)) return;
        counts.delivered++;
        Simulator::Schedule(TimeStep(forwardPause(id, flood)), &Node::forward, this);
    }

    void send(void (Node::*hear)(Node*)) {
        uint32_t frame = mix(LOSS_KEY, frames++ * n + id);
        if (!perReception) {
            Simulator::Schedule(TimeStep(AIRTIME), &Node::end, this, hear, frame);
            return;
        }
        for (int u : near[id])
            if (!lost(frame, u)) Simulator::Schedule(TimeStep(AIRTIME), hear, nodes[u].get(), this);
    }

    void end(void (Node::*hear)(Node*), uint32_t frame) {
        for (int u : near[id])
            if (!lost(frame, u)) (nodes[u].get()->*hear)(this);
    }

    void timer() {
        counts.beacons++;
        onTimer(now(), beacon);
        send(&Node::hearBeacon);
        Simulator::Schedule(TimeStep(period(id, seq)), &Node::timer, this);
    }

    void forward() {
        counts.forwards++;
        message = written();
        send(&Node::hearFlood);
    }
};

void inject() {
    int number = ++counts.floods;
    Node& node = *nodes[originOf(number, nodes.size())];
    node.flood = number, node.origin = node.id;
    node.forward();
    Simulator::Schedule(TimeStep(FLOOD_EVERY), &inject);
}

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    Time::SetResolution(Time::US);
    near = readNetwork(argv[1]);
    perReception = !strcmp(argv[3], "reception");
    ObjectFactory factory(std::string("ns3::") + argv[4]);
    Simulator::SetScheduler(factory);
    for (size_t v = 0; v < near.size(); v++) {
        nodes.push_back(std::make_unique<Node>(v, near.size()));
        Simulator::Schedule(TimeStep(firstBeacon(v)), &Node::timer, nodes[v].get());
    }
    Simulator::Schedule(TimeStep(FLOOD_EVERY), &inject);
    Simulator::Stop(TimeStep(atoll(argv[2]) * 1'000'000 + 1));
    auto begin = std::chrono::steady_clock::now();
    Simulator::Run();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    uint32_t state = 0;
    for (const auto& node : nodes) state = stateOf(state, *node);
    print(took.count(), counts, state);
}
