// A channel that knows who is in reach of whom: ns-3's own channels copy every frame for every device, near or not.
// For stationary devices; the same events in the same order as SingleModelSpectrumChannel.
#pragma once

#include "lrwpan.h"

#include <unordered_map>

class NearChannel : public SpectrumChannel {
  public:
    explicit NearChannel(double mostLossDb = 1e9) : mostLossDb(mostLossDb) {}

    void AddRx(Ptr<SpectrumPhy> phy) override { phys.push_back(phy); }
    void RemoveRx(Ptr<SpectrumPhy> phy) override { phys.erase(std::find(phys.begin(), phys.end(), phy)); }
    std::size_t GetNDevices() const override { return phys.size(); }
    Ptr<NetDevice> GetDevice(std::size_t i) const override { return phys.at(i)->GetDevice(); }

    void learn() {
        for (const auto& from : phys)
            for (const auto& to : phys) {
                if (from == to) continue;
                double db = IndoorLoss::lossDb(from->GetMobility()->GetDistanceFrom(to->GetMobility()));
                uint32_t node = to->GetDevice()->GetNode()->GetId();
                if (db <= mostLossDb) reach[PeekPointer(from)].push_back({to, node, std::pow(10.0, -db / 10.0)});
            }
    }

    void StartTx(Ptr<SpectrumSignalParameters> sent) override {
        for (const auto& receiver : reach[PeekPointer(sent->txPhy)]) {
            Ptr<SpectrumSignalParameters> heard = sent->Copy();
            *heard->psd *= receiver.gain;
            Simulator::ScheduleWithContext(receiver.node, Time(0), &SpectrumPhy::StartRx, receiver.phy, heard);
        }
    }

  private:
    struct Receiver {
        Ptr<SpectrumPhy> phy;
        uint32_t node;
        double gain;
    };
    double mostLossDb;
    std::vector<Ptr<SpectrumPhy>> phys;
    std::unordered_map<const SpectrumPhy*, std::vector<Receiver>> reach;
};
