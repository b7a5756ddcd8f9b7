// The workload as an ns-3 program: Nodes with a SimpleNetDevice each, Packets, and a channel that knows who is in reach.
//     devices NETWORK SECONDS SCHEDULER
// SimpleChannel reaches everyone not on a block list, searched for every receiver; ours has lists of neighbours.
#include "mesh.h"

#include <chrono>
#include <memory>

#include "ns3/core-module.h"
#include "ns3/network-module.h"

using namespace ns3;

constexpr uint16_t BEACON = 0x8801, FLOOD = 0x8802;

class DiskChannel : public SimpleChannel {
  public:
    std::vector<std::vector<int>> near;
    std::vector<int64_t> frames;

    void Send(Ptr<Packet> p, uint16_t protocol, Mac48Address to, Mac48Address from, Ptr<SimpleNetDevice> sender) override {
        int v = sender->GetNode()->GetId();
        uint32_t frame = mix(LOSS_KEY, frames[v]++ * near.size() + v);
        for (int u : near[v])
            if (!lost(frame, u))
                Simulator::ScheduleWithContext(u, TimeStep(AIRTIME), &SimpleNetDevice::Receive, devices[u], p->Copy(),
                                               protocol, to, from);
    }

    void Add(Ptr<SimpleNetDevice> device) override {
        SimpleChannel::Add(device);
        devices.push_back(device);
        frames.push_back(0);
    }

  private:
    std::vector<Ptr<SimpleNetDevice>> devices;
};

Counts counts;

int64_t now() { return Simulator::Now().GetTimeStep(); }    // the resolution is a microsecond

struct Station : Rules {
    Ptr<SimpleNetDevice> device = CreateObject<SimpleNetDevice>();

    Station(int id, int n, Ptr<SimpleChannel> channel) : Rules(id, n) {
        CreateObject<Node>()->AddDevice(device);
        device->SetAddress(Mac48Address::Allocate());
        device->SetReceiveCallback(MakeCallback(&Station::receive, this));
        device->SetChannel(channel);
        Simulator::Schedule(TimeStep(firstBeacon(id)), &Station::timer, this);
    }

    template <typename Message> void send(const Message& message, uint16_t protocol) {
        auto packet = Create<Packet>(reinterpret_cast<const uint8_t*>(&message), sizeof(Message));
        device->Send(packet, device->GetBroadcast(), protocol);
    }

    template <typename Message> static Message read(Ptr<const Packet> packet) {
        Message message;
        packet->CopyData(reinterpret_cast<uint8_t*>(&message), sizeof(Message));
        return message;
    }

    bool receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address&) {
        counts.receptions++;
        if (protocol == BEACON) {
            onBeacon(now(), read<Beacon>(packet));
        } else if (onFlood(read<Flood>(packet))) {
            counts.delivered++;
            Simulator::Schedule(TimeStep(forwardPause(id, flood)), &Station::forward, this);
        }
        return true;
    }

    void timer() {
        counts.beacons++;
        Beacon beacon;
        onTimer(now(), beacon);
        send(beacon, BEACON);
        Simulator::Schedule(TimeStep(period(id, seq)), &Station::timer, this);
    }

    void forward() {
        counts.forwards++;
        send(written(), FLOOD);
    }
};

std::vector<std::unique_ptr<Station>> stations;

void inject() {
    int number = ++counts.floods;
    Station& station = *stations[originOf(number, stations.size())];
    station.flood = number, station.origin = station.id;
    station.forward();
    Simulator::Schedule(TimeStep(FLOOD_EVERY), &inject);
}

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    Time::SetResolution(Time::US);
    Simulator::SetScheduler(ObjectFactory(std::string("ns3::") + argv[3]));
    auto channel = CreateObject<DiskChannel>();
    channel->near = readNetwork(argv[1]);
    int n = channel->near.size();
    for (int v = 0; v < n; v++) stations.push_back(std::make_unique<Station>(v, n, channel));
    Simulator::Schedule(TimeStep(FLOOD_EVERY), &inject);
    Simulator::Stop(TimeStep(atoll(argv[2]) * 1'000'000 + 1));
    auto begin = std::chrono::steady_clock::now();
    Simulator::Run();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    uint32_t state = 0;
    for (const auto& station : stations) state = stateOf(state, *station);
    print(took.count(), counts, state);
}
