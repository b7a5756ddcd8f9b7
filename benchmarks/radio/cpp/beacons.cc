// The workload for speed: every node broadcasts a beacon each second, give or take a tenth.
//     beacons --places=FILE --seconds=60 [--channel=single|multi|near] [--scheduler=PriorityQueueScheduler]
// FILE has a line "x y" in metres per node. The times, by the wall clock and of the processor, are those of
// Simulator::Run alone.
#include "near.h"

#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>

struct Options : Settings {
    std::string places, channel = "single", scheduler = "PriorityQueueScheduler";
    double seconds = 60.0, period = 1.0, jitter = 0.1, least = -110.0;
    uint32_t payload = 64;
};

struct Counts { uint64_t handed = 0, sent = 0, failed = 0, receptions = 0; };

struct Station {
    const Options& set;
    Counts& counts;
    Ptr<LrWpanMac> mac;
    Ptr<UniformRandomVariable> random;
    McpsDataRequestParams request = requestTo(Mac16Address("ff:ff"), false);

    Station(const Options& set, Counts& counts, Ptr<LrWpanMac> mac, Ptr<UniformRandomVariable> random)
        : set(set), counts(counts), mac(mac), random(random) {
        mac->SetMcpsDataConfirmCallback(MakeCallback(&Station::onConfirm, this));
        mac->SetMcpsDataIndicationCallback(MakeCallback(&Station::onFrame, this));
        Simulator::Schedule(Seconds(random->GetValue(0.001, set.period)), &Station::beacon, this);
    }

    void beacon() {
        counts.handed++;
        mac->McpsDataRequest(request, Create<Packet>(set.payload));
        double pause = set.period * random->GetValue(1.0 - set.jitter, 1.0 + set.jitter);
        Simulator::Schedule(Seconds(pause), &Station::beacon, this);
    }

    void onConfirm(McpsDataConfirmParams confirm) {
        counts.sent += confirm.m_status == IEEE_802_15_4_SUCCESS;
        counts.failed += confirm.m_status == IEEE_802_15_4_CHANNEL_ACCESS_FAILURE;
    }

    void onFrame(McpsDataIndicationParams, Ptr<Packet>) { counts.receptions++; }
};

std::vector<Vector> readPlaces(const std::string& file) {
    std::ifstream in(file);
    std::vector<Vector> places;
    for (double x, y; in >> x >> y;) places.emplace_back(x, y, 0.0);
    NS_ABORT_MSG_IF(places.empty() || !in.eof(), "the places cannot be read");
    return places;
}

Ptr<SpectrumChannel> makeChannel(const Options& set) {
    Ptr<SpectrumChannel> channel;
    if (set.channel == "near") return CreateObject<NearChannel>(-set.least);
    if (set.channel == "multi") channel = CreateObject<MultiModelSpectrumChannel>();
    if (set.channel == "single") channel = CreateObject<SingleModelSpectrumChannel>();
    NS_ABORT_MSG_IF(!channel, "the channel is single, multi or near");
    channel->SetAttribute("MaxLossDb", DoubleValue(-set.least));
    channel->AddPropagationLossModel(CreateObject<IndoorLoss>());
    return channel;
}

Options readOptions(int argc, char** argv) {
    Options set;
    CommandLine line;
    line.AddValue("places", "file with x and y of every node", set.places);
    line.AddValue("channel", "single, multi or near", set.channel);
    line.AddValue("scheduler", "one of ns-3's", set.scheduler);
    line.AddValue("seconds", "simulated", set.seconds);
    line.AddValue("payload", "bytes", set.payload);
    line.AddValue("least", "dBm; what arrives weaker is left out", set.least);
    set.addTo(line);
    line.Parse(argc, argv);
    return set;
}

int main(int argc, char** argv) {
    Options set = readOptions(argc, argv);
    Counts counts;
    std::vector<std::unique_ptr<Station>> stations;
    RngSeedManager::SetRun(set.run);
    Simulator::SetScheduler(ObjectFactory("ns3::" + set.scheduler));
    auto channel = makeChannel(set);
    auto random = CreateObject<UniformRandomVariable>();
    for (const Vector& place : readPlaces(set.places)) {
        auto device = makeDevice(stations.size(), place, channel, set);
        stations.push_back(std::make_unique<Station>(set, counts, device->GetMac(), random));
    }
    if (auto near = DynamicCast<NearChannel>(channel)) near->learn();
    Simulator::Stop(Seconds(set.seconds));
    auto begin = std::chrono::steady_clock::now();
    std::clock_t used = std::clock();
    Simulator::Run();
    double cpu = double(std::clock() - used) / CLOCKS_PER_SEC;
    std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    std::cout << "channel,nodes,seconds,handed,sent,access_failure,receptions,events,wall,cpu\n" << set.channel << ','
              << stations.size() << ',' << set.seconds << ',' << counts.handed << ',' << counts.sent << ','
              << counts.failed << ',' << counts.receptions << ',' << Simulator::GetEventCount() << ','
              << wall.count() << ',' << cpu << std::endl;
    Simulator::Destroy();
}
