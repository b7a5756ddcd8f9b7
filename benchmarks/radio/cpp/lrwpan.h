// What the programs share: this project's path loss, and lr-wpan devices with a given noise and energy threshold.
#pragma once

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/lr-wpan-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/propagation-module.h"
#include "ns3/spectrum-module.h"

using namespace ns3;

constexpr uint16_t PAN = 1;
constexpr uint32_t OVERHEAD = 11;       // frame control 2, number 1, PAN 2, two short addresses 4, check sum 2
constexpr uint32_t PHY_HEADER = 6;      // preamble 4, start of frame 1, length 1
constexpr uint32_t CHANNEL = 11;
constexpr double NEAR = 8.0, NEAREST = 0.1;      // metres

class IndoorLoss : public PropagationLossModel {
  public:
    static double lossDb(double metres) {
        double d = std::max(metres, NEAREST);
        return d <= NEAR ? 40.2 + 20.0 * std::log10(d) : 58.5 + 33.0 * std::log10(d / NEAR);
    }

  private:
    double DoCalcRxPower(double dbm, Ptr<MobilityModel> a, Ptr<MobilityModel> b) const override {
        return dbm - lossDb(a->GetDistanceFrom(b));
    }

    int64_t DoAssignStreams(int64_t) override { return 0; }
};

// lr-wpan 3.37 has no setter for the sensitivity; an explicit instantiation may name a private member.
template <auto Member> struct Open {
    friend double& sensitivityOf(LrWpanPhy& phy) { return phy.*Member; }
};
template struct Open<&LrWpanPhy::m_rxSensitivity>;
double& sensitivityOf(LrWpanPhy& phy);

struct Settings {
    double noise = -100.0;              // dBm over the 5 MHz in which lr-wpan adds signals up
    double sensitivity = -95.0;         // dBm; the channel is busy from 10 dB above it on
    uint32_t spacing = 40;              // symbols from a frame of over 18 bytes to the next back-off (LIFS)
    uint32_t run = 1;

    void addTo(CommandLine& line) {
        line.AddValue("noise", "dBm in the receiver's band", noise);
        line.AddValue("sensitivity", "dBm; the energy threshold is 10 dB above", sensitivity);
        line.AddValue("spacing", "symbols after a frame before its sender goes on", spacing);
        line.AddValue("run", "number of the random sequence", run);
    }
};

inline double watts(double dbm) { return std::pow(10.0, dbm / 10.0 - 3.0); }
inline double decibels(double ratio) { return 10.0 * std::log10(ratio); }
inline double powerOf(Ptr<const SpectrumValue> psd) { return LrWpanSpectrumValueHelper::TotalAvgPower(psd, CHANNEL); }

inline Ptr<SpectrumValue> noiseOf(double dbm) {
    Ptr<SpectrumValue> psd = LrWpanSpectrumValueHelper().CreateNoisePowerSpectralDensity(CHANNEL);
    *psd *= watts(dbm) / powerOf(psd);
    return psd;
}

inline Mac16Address addressOf(uint32_t id) {
    uint8_t bytes[2] = {uint8_t((id + 1) >> 8), uint8_t(id + 1)};
    Mac16Address address;
    address.CopyFrom(bytes);
    return address;
}

inline Ptr<LrWpanNetDevice> makeDevice(uint32_t id, Vector place, Ptr<SpectrumChannel> channel, const Settings& set) {
    auto node = CreateObject<Node>();
    auto mobility = CreateObject<ConstantPositionMobilityModel>();
    mobility->SetPosition(place);
    node->AggregateObject(mobility);
    auto device = CreateObject<LrWpanNetDevice>();
    device->GetPhy()->SetMobility(mobility);
    device->SetChannel(channel);
    node->AddDevice(device);
    device->GetMac()->SetPanId(PAN);
    device->GetMac()->SetShortAddress(addressOf(id));
    device->GetMac()->m_macLIFSPeriod = set.spacing;
    device->GetPhy()->SetNoisePowerSpectralDensity(noiseOf(set.noise));
    sensitivityOf(*device->GetPhy()) = watts(set.sensitivity);
    return device;
}

inline McpsDataRequestParams requestTo(Mac16Address to, bool acknowledged) {
    McpsDataRequestParams request;
    request.m_srcAddrMode = SHORT_ADDR;
    request.m_dstAddrMode = SHORT_ADDR;
    request.m_dstPanId = PAN;
    request.m_dstAddr = to;
    request.m_txOptions = acknowledged ? TX_OPTION_ACK : TX_OPTION_NONE;
    return request;
}

inline std::vector<double> numbers(const std::string& list) {
    std::vector<double> values;
    std::stringstream in(list);
    for (std::string word; std::getline(in, word, ',');) values.push_back(std::stod(word));
    return values;
}
