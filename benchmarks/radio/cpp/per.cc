// Packet error ratio over distance: one sender, one receiver, broadcast frames, no fading.
//     per --lengths=20,60,127 --distances=100,120 --frames=2000 [--noise=-100]
// A line per length and distance; `expected` is what ns-3's own error model says for the bits it counts.
#include "lrwpan.h"

#include <iostream>

struct Link {
    uint32_t length, frames, sent = 0, locked = 0, received = 0;
    double lossDb = 0.0;
    Ptr<LrWpanNetDevice> sender, receiver;

    Link(uint32_t length, double metres, uint32_t frames, const Settings& set) : length(length), frames(frames) {
        auto channel = CreateObject<SingleModelSpectrumChannel>();
        channel->AddPropagationLossModel(CreateObject<IndoorLoss>());
        channel->TraceConnectWithoutContext("PathLoss", MakeCallback(&Link::onLoss, this));
        sender = makeDevice(0, Vector(0, 0, 0), channel, set);
        receiver = makeDevice(1, Vector(metres, 0, 0), channel, set);
        sender->GetMac()->SetMcpsDataConfirmCallback(MakeCallback(&Link::onConfirm, this));
        receiver->GetMac()->SetMcpsDataIndicationCallback(MakeCallback(&Link::onFrame, this));
        receiver->GetPhy()->TraceConnectWithoutContext("PhyRxBegin", MakeCallback(&Link::onLock, this));
        Simulator::Schedule(MilliSeconds(1), &Link::send, this);
    }

    void send() {
        if (sent == frames) return;
        sent++;
        auto request = requestTo(Mac16Address("ff:ff"), false);
        sender->GetMac()->McpsDataRequest(request, Create<Packet>(length - OVERHEAD));
    }

    void onConfirm(McpsDataConfirmParams confirm) {
        NS_ABORT_IF(confirm.m_status != IEEE_802_15_4_SUCCESS);
        send();
    }

    void onFrame(McpsDataIndicationParams, Ptr<Packet>) { received++; }
    void onLock(Ptr<const Packet> packet) {
        NS_ABORT_IF(packet->GetSize() != length);
        locked++;
    }
    void onLoss(Ptr<const SpectrumPhy>, Ptr<const SpectrumPhy>, double db) { lossDb = db; }

    void print(double metres) const {
        Ptr<SpectrumValue> psd = LrWpanSpectrumValueHelper().CreateTxPowerSpectralDensity(0.0, CHANNEL);
        *psd *= std::pow(10.0, -lossDb / 10.0);
        double snr = powerOf(psd) / powerOf(receiver->GetPhy()->GetNoisePowerSpectralDensity());
        double expected = receiver->GetPhy()->GetErrorModel()->GetChunkSuccessRate(snr, 8 * (length + PHY_HEADER));
        std::cout << length << ',' << metres << ',' << decibels(powerOf(psd)) + 30.0 << ',' << decibels(snr) << ','
                  << sent << ',' << locked << ',' << received << ',' << expected << std::endl;
    }
};

int main(int argc, char** argv) {
    Settings set;
    std::string lengths = "20,60,127", distances = "150";
    uint32_t frames = 2000;
    CommandLine line;
    line.AddValue("lengths", "bytes of the PSDU, from the MAC header to the check sum", lengths);
    line.AddValue("distances", "metres", distances);
    line.AddValue("frames", "how many are sent at each distance", frames);
    set.addTo(line);
    line.Parse(argc, argv);
    std::cout.precision(10);
    std::cout << "length,distance,dbm,snr_db,sent,locked,received,expected" << std::endl;
    for (double length : numbers(lengths))
        for (double metres : numbers(distances)) {
            RngSeedManager::SetRun(set.run);
            Link link(length, metres, frames, set);
            Simulator::Run();
            link.print(metres);
            Simulator::Destroy();
        }
}
