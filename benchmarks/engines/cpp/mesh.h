// The rules of benchmarks/engines/rules.py and the draws of its workload, for the programs that use ns-3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <vector>

constexpr int NOBODY = -1, PLACES = 8;
constexpr int QUALITY_ONE = 65535, QUALITY_NEW = 32768, QUALITY_EVICT = 32768, WEIGHT = 3277;
constexpr int RANK_BITS = 25, PLACE_BITS = 3;
constexpr int64_t BONUS = 5'013'427, RANK_MOST = (1 << RANK_BITS) - 1, NO_OFFER = (1LL << 62) - 1;
constexpr int64_t STALE = 5'000'000, AIRTIME = 1'000, FLOOD_EVERY = 20'000'000;
constexpr uint32_t LOSS = 107'374'182;      // 0.05 of 2^31
enum Key { LOSS_KEY = 1, PERIOD_KEY, FORWARD_KEY, ORIGIN_KEY };

inline uint32_t stir(uint32_t h) {
    h *= 0x7FEB352D;
    h ^= h >> 15;
    h *= 0x31848BAB;
    return h ^ (h >> 16);
}

inline uint32_t mix(uint32_t h, uint64_t x) {
    h = stir(h + 0x9E3779B9);
    return stir(stir(h ^ uint32_t(x)) ^ uint32_t(x >> 32));
}

inline bool lost(uint32_t frame, int node) { return (mix(frame, node) & 0x7FFFFFFF) < LOSS; }
inline int64_t firstBeacon(int v) { return mix(mix(PERIOD_KEY, v), 0) % 1'000'000; }
inline int64_t period(int v, int seq) { return 900'000 + mix(mix(PERIOD_KEY, v), seq) % 200'001; }
inline int64_t forwardPause(int v, int number) { return mix(mix(FORWARD_KEY, number), v) % 10'000; }
inline int originOf(int number, int n) { return mix(ORIGIN_KEY, number) % n; }

struct Beacon {
    int32_t src, seq, root, dist, parent, size;
    int32_t ids[PLACES], quality[PLACES];
};

struct Flood { int32_t src, parent, origin, number; };

struct Rules {
    int32_t id, n, seq = 0, root, dist = 0, parent, size = 1, changes = 0, flood = 0, origin = 0;
    int32_t ids[PLACES], seqs[PLACES] = {}, quality[PLACES] = {}, below[PLACES];
    int64_t offer[PLACES], heard[PLACES] = {};

    Rules(int id, int n) : id(id), n(n), root(id), parent(id) {
        for (int i = 0; i < PLACES; i++) drop(i);
    }

    void drop(int i) { ids[i] = NOBODY, offer[i] = NO_OFFER, below[i] = 0; }

    int find(int other) const {
        int place = NOBODY;
        for (int i = 0; i < PLACES; i++) place = ids[i] == other ? i : place;
        return place;
    }

    int makeRoom() const {
        int place = NOBODY, worst = QUALITY_EVICT;
        for (int i = 0; i < PLACES; i++) {
            int q = ids[i] == NOBODY ? -1 : quality[i];
            if (q < worst) place = i, worst = q;
        }
        return place;
    }

    bool hear(int64_t now, const Beacon& b) {
        int i = find(b.src), q = QUALITY_NEW;
        if (i != NOBODY) {
            q = quality[i];
            for (int missed = b.seq - seqs[i] - 1; missed > 0; missed--) q -= q * WEIGHT >> 16;
            q += (QUALITY_ONE - q) * WEIGHT >> 16;
        } else if ((i = makeRoom()) == NOBODY) {
            return false;
        }
        ids[i] = b.src, seqs[i] = b.seq, quality[i] = q, heard[i] = now;
        below[i] = b.parent == id ? b.size : 0;
        offer[i] = offerOf(b, q) + i;
        return true;
    }

    int64_t offerOf(const Beacon& b, int64_t q) const {
        if (b.dist + 1 >= n) return NO_OFFER - PLACES;
        int back = 0;
        for (int i = 0; i < PLACES; i++) back += b.quality[i] * (b.ids[i] == id);
        int64_t place = (int64_t(b.root) << 16) + b.dist + 1;
        return ((place << RANK_BITS) + RANK_MOST - q * back) << PLACE_BITS;
    }

    void treeRule() {
        int64_t best = int64_t(id) << (16 + RANK_BITS + PLACE_BITS);
        int sum = 1;
        for (int i = 0; i < PLACES; i++) {
            best = std::min(best, offer[i] - (ids[i] == parent ? BONUS << PLACE_BITS : 0));
            sum += below[i];
        }
        int64_t place = best >> (RANK_BITS + PLACE_BITS);
        root = place >> 16, dist = place & 0xFFFF, size = std::min(sum, n);
        int next = dist > 0 ? ids[best & (PLACES - 1)] : id;
        if (next != parent) changes++, parent = next;
    }

    void onTimer(int64_t now, Beacon& out) {
        for (int i = 0; i < PLACES; i++)
            if (now - heard[i] > STALE) drop(i);
        treeRule();
        seq++;
        out.src = id, out.seq = seq, out.root = root, out.dist = dist, out.parent = parent, out.size = size;
        for (int i = 0; i < PLACES; i++) out.ids[i] = ids[i], out.quality[i] = quality[i] >> 8;
    }

    void onBeacon(int64_t now, const Beacon& b) {
        if (hear(now, b)) treeRule();
    }

    bool onFlood(const Flood& f) {
        if (f.number <= flood || (f.src != parent && f.parent != id)) return false;
        flood = f.number, origin = f.origin;
        return true;
    }

    Flood written() const { return {id, parent, origin, flood}; }
};

struct Counts { int64_t beacons = 0, floods = 0, forwards = 0, receptions = 0, delivered = 0; };

inline std::vector<std::vector<int>> readNetwork(const char* file) {
    std::ifstream in(file);
    int n = 0, degree = 0;
    in >> n;
    std::vector<std::vector<int>> near(n);
    for (auto& row : near) {
        in >> degree;
        row.resize(degree);
        for (int& u : row) in >> u;
    }
    if (!in) throw std::runtime_error("the network cannot be read");
    return near;
}

inline uint32_t stateOf(uint32_t h, const Rules& me) {
    for (int32_t x : {me.seq, me.root, me.dist, me.parent, me.size, me.changes, me.flood}) h = mix(h, x);
    for (int i = 0; i < PLACES; i++) {
        h = mix(h, int64_t(me.ids[i]));
        if (me.ids[i] != NOBODY) h = mix(mix(h, me.seqs[i]), me.quality[i]);
    }
    return h;
}

inline void print(double seconds, const Counts& c, uint32_t state) {
    std::cout << seconds << ' ' << c.beacons << ' ' << c.floods << ' ' << c.forwards << ' ' << c.receptions << ' '
              << c.delivered << ' ' << state << std::endl;
}
