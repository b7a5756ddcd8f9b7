// Senders that always have a frame ready, around one receiver: what reaches it, and what is reported to the senders.
//     contend --senders=2,5,10 --length=127 [--acknowledged] [--seconds=60] [--radius=5] [--apart=0]
// With --apart, half of the senders stand on a circle that far from the other half's, the receiver half-way between.
#include "lrwpan.h"

#include <cstring>
#include <iostream>
#include <map>
#include <memory>

constexpr double PI = 3.14159265358979323846;

struct Options : Settings {
    std::string senders = "2,5,10,20";
    uint32_t length = 127;
    bool acknowledged = false;
    double seconds = 60.0, radius = 5.0, apart = 0.0;
};

struct Mark { uint32_t sender, number; };       // the head of every payload, to recognize repeated frames

struct Counts { uint64_t handed = 0, transmissions = 0, received = 0, delivered = 0; };

struct Sender {
    Mark mark;
    Ptr<LrWpanMac> mac;
    uint32_t payload;
    McpsDataRequestParams request;
    Counts* counts;
    std::map<int, uint64_t>* statuses;

    void send() {
        std::vector<uint8_t> bytes(payload);
        mark.number++;
        counts->handed++;
        std::memcpy(bytes.data(), &mark, sizeof mark);
        mac->McpsDataRequest(request, Create<Packet>(bytes.data(), bytes.size()));
    }

    void onConfirm(McpsDataConfirmParams confirm) {
        (*statuses)[confirm.m_status]++;
        send();
    }

    void onTransmission(Ptr<const Packet>) { counts->transmissions++; }
};

struct Cell {
    Options set;
    Counts counts;
    std::map<int, uint64_t> statuses;
    std::map<uint32_t, uint32_t> latest;
    std::vector<std::unique_ptr<Sender>> senders;
    Ptr<SpectrumChannel> channel = CreateObject<SingleModelSpectrumChannel>();

    Cell(const Options& options, uint32_t n) : set(options) {
        channel->AddPropagationLossModel(CreateObject<IndoorLoss>());
        auto receiver = makeDevice(0, Vector(0, 0, 0), channel, set);
        receiver->GetMac()->SetMcpsDataIndicationCallback(MakeCallback(&Cell::onFrame, this));
        auto start = CreateObject<UniformRandomVariable>();
        for (uint32_t i = 0; i < n; i++) {
            add(i, n);
            Simulator::Schedule(Seconds(start->GetValue(0.001, 0.02)), &Sender::send, senders[i].get());
        }
    }

    void add(uint32_t i, uint32_t n) {
        double angle = 2.0 * PI * i / n, side = set.apart / 2.0 * (2.0 * i < n ? -1.0 : 1.0);
        Vector place(side + set.radius * std::cos(angle), set.radius * std::sin(angle), 0);
        auto device = makeDevice(i + 1, place, channel, set);
        auto to = set.acknowledged ? addressOf(0) : Mac16Address("ff:ff");
        senders.push_back(std::make_unique<Sender>(Sender{{i + 1, 0}, device->GetMac(), set.length - OVERHEAD,
                                                          requestTo(to, set.acknowledged), &counts, &statuses}));
        Sender* sender = senders[i].get();
        device->GetMac()->SetMcpsDataConfirmCallback(MakeCallback(&Sender::onConfirm, sender));
        device->GetMac()->SetMcpsDataIndicationCallback(MakeCallback(&Cell::ignore, this));
        device->GetPhy()->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Sender::onTransmission, sender));
    }

    void ignore(McpsDataIndicationParams, Ptr<Packet>) {}

    void onFrame(McpsDataIndicationParams, Ptr<Packet> packet) {
        Mark mark;
        packet->CopyData(reinterpret_cast<uint8_t*>(&mark), sizeof mark);
        counts.received++;
        counts.delivered += mark.number > latest[mark.sender];
        latest[mark.sender] = std::max(latest[mark.sender], mark.number);
    }

    void print() {
        uint64_t success = statuses[IEEE_802_15_4_SUCCESS], lost = statuses[IEEE_802_15_4_NO_ACK];
        uint64_t failed = statuses[IEEE_802_15_4_CHANNEL_ACCESS_FAILURE], all = 0;
        for (auto [status, times] : statuses) all += times;
        NS_ABORT_IF(all != success + lost + failed);
        std::cout << (set.acknowledged ? "acknowledged," : "broadcast,") << set.apart << ',' << set.length << ','
                  << senders.size() << ',' << set.seconds << ',' << counts.handed / set.seconds << ','
                  << counts.delivered / set.seconds << ',' << counts.transmissions << ',' << counts.received << ','
                  << counts.delivered << ',' << success << ',' << lost << ',' << failed << std::endl;
    }
};

int main(int argc, char** argv) {
    Options set;
    CommandLine line;
    line.AddValue("senders", "how many, several with commas", set.senders);
    line.AddValue("length", "bytes of the PSDU", set.length);
    line.AddValue("acknowledged", "to the receiver with 3 retries, else to all", set.acknowledged);
    line.AddValue("seconds", "simulated", set.seconds);
    line.AddValue("radius", "metres from the centre of a circle of senders", set.radius);
    line.AddValue("apart", "metres between two circles of senders; 0: there is one, around the receiver", set.apart);
    set.addTo(line);
    line.Parse(argc, argv);
    std::cout.precision(10);
    std::cout << "mode,apart,length,senders,seconds,handed_per_s,delivered_per_s,transmissions,received,delivered,"
                 "success,no_ack,access_failure" << std::endl;
    for (double n : numbers(set.senders)) {
        RngSeedManager::SetRun(set.run);
        Cell cell(set, n);
        Simulator::Stop(Seconds(set.seconds));
        Simulator::Run();
        cell.print();
        Simulator::Destroy();
    }
}
