// Halos on any number of ranks and devices per rank. Expected values are a function of the global position.
// No test stops at its first failure: the other ranks would wait for ever.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "tests/mpi/halo_cases.hpp"
#include "tests/unit/count_allocations.hpp"

namespace halocline {
namespace {

INSTANTIATE_TEST_SUITE_P(Settings, HaloTest, testing::ValuesIn(settings()), setting_name);

TEST_P(HaloTest, SlabsWithAndWithoutPeriodicEnds) {
  constexpr Index row_size = 5;
  const Index rows = 4 * total() + 3;
  const Partition partition(rows, 1, std::vector<double>(static_cast<std::size_t>(total()), 1.0), 3);
  for (bool periodic : {false, true}) {
    for (Index width : {1, 3}) {
      std::vector<Index> sizes;
      for (int part = 0; part < team.parts(); ++part) {
        sizes.push_back((partition.block(team.first_part() + part).size() + 2 * width) * row_size);
      }
      Fields<double> fields(team, sizes);
      Halo<double> halo(comm, team, slab_links(partition, team, row_size, static_cast<int>(width), periodic));
      for (int round = 0; round < 3; ++round) {
        const auto value = [=](Index row, Index column) {
          return 1000.0 * round + 10.0 * static_cast<double>(row) + static_cast<double>(column);
        };
        fields.fill([=, first = team.first_part()](int part, Index i) {
          const Range<1> block = partition.block(first + part);
          const Index row = i / row_size - width + block.lo[0];
          return row >= block.lo[0] && row < block.hi[0] ? value(row, i % row_size) : untouched;
        });
        halo.start(fields.const_views);
        halo.finish(fields.views);
        for (int part = 0; part < team.parts(); ++part) {
          const Index lo = partition.block(team.first_part() + part).lo[0];
          std::vector<double> expected(static_cast<std::size_t>(sizes[part]));
          for (Index i = 0; i < sizes[part]; ++i) {
            const Index row = i / row_size - width + lo, wrapped = (row + rows) % rows;
            expected[i] = periodic || wrapped == row ? value(wrapped, i % row_size) : untouched;
          }
          EXPECT_EQ(fields.to_host(part), expected) << "periodic " << periodic << " width " << width;
        }
      }
    }
  }
}

// Each part is a cube of 4 x 5 x 6 with one ghost layer at either end of its last direction: strided planes travel.
TEST_P(HaloTest, StridedPlanes) {
  constexpr Index nx = 4, ny = 5, nz = 6;
  // The same positions in the same order, described in two ways.
  const auto from = [](Index k) { return IndexSet{k, {1, nx, ny}, {0, ny * nz, nz}, {}}; };
  const auto into = [](Index k) { return IndexSet{k, {nx, ny, 1}, {ny * nz, nz, 1}, {}}; };
  Links links(static_cast<std::size_t>(team.parts()));
  for (int part = 0; part < team.parts(); ++part) {
    const int global = team.first_part() + part;
    if (global > 0) links[part].push_back({global - 1, from(1), into(0)});
    if (global + 1 < total()) links[part].push_back({global + 1, from(nz - 2), into(nz - 1)});
  }
  Fields<double> fields(team, nx * ny * nz);
  Halo<double> halo(comm, team, links);
  for (int round = 1; round <= 2; ++round) {
    const auto value = [=](int global, Index i) { return 1e4 * round + 1e3 * global + static_cast<double>(i); };
    fields.fill([=, first = team.first_part()](int part, Index i) {
      return i % nz == 0 || i % nz == nz - 1 ? untouched : value(first + part, i);
    });
    halo.start(fields.const_views);
    halo.finish(fields.views);
    for (int part = 0; part < team.parts(); ++part) {
      const int global = team.first_part() + part;
      std::vector<double> expected;
      for (Index i = 0; i < nx * ny * nz; ++i) {
        const bool low = i % nz == 0, high = i % nz == nz - 1;
        if (low && global > 0) {
          expected.push_back(value(global - 1, i + nz - 2));
        } else if (high && global + 1 < total()) {
          expected.push_back(value(global + 1, i - nz + 2));
        } else {
          expected.push_back(low || high ? untouched : value(global, i));
        }
      }
      EXPECT_EQ(fields.to_host(part), expected) << "part " << global;
    }
  }
}

// Every pair of parts exchanges a random list, received behind the owned values in an order of its own.
TEST_P(HaloTest, ListsBetweenAllParts) {
  constexpr Index owned = 30, most = 4;
  const auto wanted = [&](int from, int to) {  // the same on every rank
    std::mt19937 random(static_cast<unsigned>(1000 * from + to));
    std::vector<Index> list(random() % (most + 1));
    for (Index& position : list) position = static_cast<Index>(random() % owned);
    return list;
  };
  const Index size = owned + most * total();
  Links links(static_cast<std::size_t>(team.parts()));
  for (int part = 0; part < team.parts(); ++part) {
    const int global = team.first_part() + part;
    for (int other = 0; other < total(); ++other) {
      if (other == global) continue;
      Link link{other, {}, {}};
      link.send.list = wanted(global, other);
      for (std::size_t i = 0; i < wanted(other, global).size(); ++i) {
        link.recv.list.push_back(owned + most * other + (most - 1 - static_cast<Index>(i)));  // backwards
      }
      links[part].push_back(link);
    }
  }
  Fields<double> fields(team, size);
  Halo<double> halo(comm, team, links);
  for (int round = 1; round <= 2; ++round) {
    fields.fill([=, first = team.first_part()](int part, Index i) {
      return i < owned ? 1e4 * round + 100.0 * (first + part) + static_cast<double>(i) : untouched;
    });
    halo.start(fields.const_views);
    halo.finish(fields.views);
    for (int part = 0; part < team.parts(); ++part) {
      const int global = team.first_part() + part;
      std::vector<double> expected(static_cast<std::size_t>(size), untouched);
      for (Index i = 0; i < owned; ++i) expected[i] = 1e4 * round + 100.0 * global + static_cast<double>(i);
      for (int other = 0; other < total(); ++other) {
        if (other == global) continue;
        const std::vector<Index> list = wanted(other, global);
        for (std::size_t i = 0; i < list.size(); ++i) {
          expected[owned + most * other + most - 1 - i] = 1e4 * round + 100.0 * other + static_cast<double>(list[i]);
        }
      }
      EXPECT_EQ(fields.to_host(part), expected) << "part " << global;
    }
  }
}

// A ring in which every part sends one value on and overwrites it before the exchange is finished.
TEST_P(HaloTest, SendsTheValuesOfTheStart) {
  const auto ring = [&](int global) { return (global + total()) % total(); };
  Links links(static_cast<std::size_t>(team.parts()));
  for (int part = 0; part < team.parts(); ++part) {
    const int global = team.first_part() + part;
    if (total() == 1) {
      links[part] = {{0, IndexSet::run(0, 1), IndexSet::run(1, 1)}};
    } else if (global % 2 == 0 || total() != 2) {
      links[part] = {{ring(global + 1), IndexSet::run(0, 1), {}}, {ring(global - 1), {}, IndexSet::run(1, 1)}};
    } else {
      links[part] = {{ring(global - 1), {}, IndexSet::run(1, 1)}, {ring(global + 1), IndexSet::run(0, 1), {}}};
    }
  }
  Fields<double> fields(team, 3);
  Halo<double> halo(comm, team, links);
  for (int round = 0; round < 5; ++round) {
    fields.fill(
        [=, first = team.first_part()](int part, Index i) { return i == 2 ? untouched : 10.0 * round + first + part; });
    halo.start(fields.const_views);
    for (int part = 0; part < team.parts(); ++part) fields.overwrite(part, 0, 2);
    halo.finish(fields.views);
    for (int part = 0; part < team.parts(); ++part) {
      const int global = team.first_part() + part;
      const std::vector<double> expected{untouched, 10.0 * round + ring(global - 1), untouched};
      EXPECT_EQ(fields.to_host(part), expected) << "part " << global;
    }
  }
}

// As in a ring above, with so much that devices copy on a queue of their own: a stretch from where it lies, which is
// overwritten afterwards, and every second of many numbers, by way of a buffer.
TEST_P(HaloTest, MuchIsSentAsItWasAtTheStart) {
  constexpr Index run = 140'000, pairs = 20'000, size = 2 * run + 4 * pairs;
  if (GetParam().devices == 4 || GetParam().devices == 0) return;  // two to a rank show as much
  const int after = team.total_parts();
  Links links(static_cast<std::size_t>(team.parts()));
  for (int part = 0; part < team.parts(); ++part) {
    const int global = team.first_part() + part, next = (global + 1) % after, before = (global + after - 1) % after;
    const IndexSet sent = IndexSet::run(0, run), second{run, {1, 1, pairs}, {0, 0, 2}, {}}, none;
    const IndexSet stretch = IndexSet::run(run + 2 * pairs, run),
                   thinned{size - 2 * pairs, {1, 1, pairs}, {0, 0, 2}, {}};
    if (after == 1) {
      links[part] = {{0, sent, stretch}, {0, second, thinned}};
    } else if (after == 2) {
      links[part] = {{next, sent, stretch}, {next, second, thinned}};
    } else {
      links[part] = {{next, sent, none}, {next, second, none}, {before, none, stretch}, {before, none, thinned}};
    }
  }
  Fields<double> fields(team, size);
  Halo<double> halo(comm, team, links);
  const auto value = [](int round, int global, Index i) { return 1e7 * round + 1e6 * global + static_cast<double>(i); };
  for (int round = 0; round < 2; ++round) {
    fields.fill([=, first = team.first_part()](int part, Index i) { return value(round, first + part, i); });
    halo.start(fields.const_views);
    for (int part = 0; part < team.parts(); ++part) {
      fields.overwrite(part, 0, 1);
      fields.overwrite(part, run, 1);
    }
    halo.finish(fields.views);
    for (int part = 0; part < team.parts(); ++part) {
      const int global = team.first_part() + part, before = (global + after - 1) % after;
      std::vector<double> expected(static_cast<std::size_t>(size));
      for (Index i = 0; i < size; ++i) expected[i] = value(round, global, i);
      expected[0] = expected[run] = value(round, global, 1);
      for (Index i = 0; i < run; ++i) expected[run + 2 * pairs + i] = value(round, before, i);
      for (Index i = 0; i < pairs; ++i) expected[size - 2 * pairs + 2 * i] = value(round, before, run + 2 * i);
      EXPECT_EQ(fields.to_host(part) == expected, true) << "part " << global << " round " << round;
    }
  }
}

// Values go one way only. Devices of every second rank, which send, are hurried on, and those of the others, which
// read, are left alone, as are those of one rank: what is sent must not overwrite what has not been read yet.
TEST_P(HaloTest, OneWayExchangesFollowEachOther) {
  Links links(static_cast<std::size_t>(team.parts()));
  for (int part = 0; part < team.parts(); ++part) {
    const int global = team.first_part() + part;
    if (global > 0) links[part].push_back({global - 1, {}, IndexSet::run(3, 2)});
    if (global + 1 < total()) links[part].push_back({global + 1, IndexSet::run(0, 2), {}});
  }
  constexpr int rounds = 6;
  std::vector<Fields<double>> fields;
  for (int round = 0; round < rounds; ++round) {
    fields.emplace_back(team, 5);
    fields.back().fill([=, first = team.first_part()](int part, Index i) {
      return i < 3 ? 100.0 * round + 10.0 * (first + part) + static_cast<double>(i) : untouched;
    });
  }
  Halo<double> halo(comm, team, links);
  for (Fields<double>& field : fields) {
    halo.start(field.const_views);
    halo.finish(field.views);
    const bool hurried = comm.size() > 1 && comm.rank() % 2 == 0;
    for (int part = 0; hurried && part < team.parts(); ++part) team.executor(part)->synchronize();
  }
  comm.barrier();
  for (int round = 0; round < rounds; ++round) {
    for (int part = 0; part < team.parts(); ++part) {
      const int global = team.first_part() + part;
      const double own = 100.0 * round + 10.0 * global, before = own - 10;
      std::vector<double> expected{own, own + 1, own + 2, before, before + 1};
      if (global == 0) expected[3] = expected[4] = untouched;
      EXPECT_EQ(fields[round].to_host(part), expected) << "part " << global << " round " << round;
    }
  }
}

// Numbers that are gathered in a buffer and copied from there by a queue of their own. On every second rank the
// gathering is hurried on, and those who wait for the copy are late: the next exchange must not overtake it in the
// buffer.
TEST_P(HaloTest, BuffersAreCopiedBeforeTheyAreFilledAgain) {
  if (GetParam().devices == 4 || GetParam().devices == 0) return;  // as above
  constexpr Index count = 140'000;
  Links links(static_cast<std::size_t>(team.parts()));
  for (int part = 0; part < team.parts(); ++part) {
    const int global = team.first_part() + part;
    if (global > 0) links[part].push_back({global - 1, {}, IndexSet::run(2 * count, count)});
    if (global + 1 < total()) links[part].push_back({global + 1, {0, {1, 1, count}, {0, 0, 2}, {}}, {}});
  }
  std::vector<Fields<double>> fields;
  for (int round = 0; round < 2; ++round) {
    fields.emplace_back(team, 3 * count);
    fields.back().fill([=, first = team.first_part()](int part, Index i) {
      return 1e8 * round + 1e7 * (first + part) + static_cast<double>(i);
    });
  }
  Halo<double> halo(comm, team, links);
  for (Fields<double>& field : fields) {
    halo.start(field.const_views);
    for (int part = 0; comm.rank() % 2 == 0 && part < team.parts(); ++part)
      team.executor(part)->wait(team.executor(part)->record(Queue::compute));
    halo.finish(field.views);
  }
  comm.barrier();
  for (int round = 0; round < 2; ++round) {
    for (int part = 0; part < team.parts(); ++part) {
      const int global = team.first_part() + part;
      const std::vector<double> found = fields[round].to_host(part);
      for (Index i = 0; global > 0 && i < count; i += count / 3)
        EXPECT_EQ(found[2 * count + i], 1e8 * round + 1e7 * (global - 1) + 2.0 * static_cast<double>(i)) << round;
    }
  }
}

// Work that reads an exchange's values late must not see the next one's, though half of the ranks are ahead.
TEST_P(HaloTest, MessagesNeverOvertakeReaders) {
  constexpr Index row_size = 8;
  const Partition partition(total(), 1, std::vector<double>(static_cast<std::size_t>(total()), 1.0));
  Fields<double> fields(team, 3 * row_size), seen(team, 3 * row_size);
  Halo<double> halo(comm, team, slab_links(partition, team, row_size, 1, true));
  const auto fill = [&](double round) {
    fields.fill([=, first = team.first_part()](int part, Index i) {
      return i / row_size == 1 ? round + first + part : untouched;
    });
  };
  fill(100);
  halo.start(fields.const_views);
  halo.finish(fields.views);
  for (int part = 0; part < team.parts(); ++part) {
    team.executor(part)->copy_async(seen.views[part].data, fields.views[part].data, 3 * row_size * sizeof(double),
                                    Queue::compute);
  }
  fill(200);
  if (comm.rank() % 2 == 1) halo.start(fields.const_views);
  comm.barrier();
  if (comm.rank() % 2 == 0) halo.start(fields.const_views);
  halo.finish(fields.views);
  for (int part = 0; part < team.parts(); ++part) {
    const int global = team.first_part() + part;
    std::vector<double> expected;
    for (int source : {global + total() - 1, global, global + 1}) {
      expected.insert(expected.end(), row_size, 100.0 + source % total());
    }
    EXPECT_EQ(seen.to_host(part), expected) << "part " << global;
    for (double& value : expected) value += 100;
    EXPECT_EQ(fields.to_host(part), expected) << "part " << global;
  }
}

TEST_P(HaloTest, CountsWhatItSendsAndAllocatesNothing) {
  constexpr Index row_size = 64;
  const Partition partition(4 * total(), 1, std::vector<double>(static_cast<std::size_t>(total()), 1.0));
  Fields<double> fields(team, 6 * row_size);
  Halo<double> halo(comm, team, slab_links(partition, team, row_size, 1));
  fields.fill([](int, Index i) { return static_cast<double>(i); });
  const auto exchange = [&] {
    halo.start(fields.const_views);
    halo.finish(fields.views);
  };
  exchange();
  const long before = allocation_count();
  for (int round = 0; round < 9; ++round) exchange();
  const TestDevice device = GetParam().device;
  if (device == TestDevice::omp_1 || device == TestDevice::omp_3) {
    EXPECT_EQ(allocation_count(), before);
  }
  const Index neighbors = (comm.rank() > 0 ? 1 : 0) + (comm.rank() + 1 < comm.size() ? 1 : 0);
  EXPECT_EQ(halo.sent().messages, 10 * neighbors);
  EXPECT_EQ(halo.sent().bytes, 10 * neighbors * row_size * 8);
}

TEST_P(HaloTest, TwoHalosMayBeUnderWayAtOnce) {
  const Partition partition(4 * total(), 1, std::vector<double>(static_cast<std::size_t>(total()), 1.0));
  Fields<double> a(team, 6), b(team, 6);
  Halo<double> first(comm, team, slab_links(partition, team, 1, 1)),
      second(comm, team, slab_links(partition, team, 1, 1));
  Halo<double> moved = std::move(second);
  a.fill([](int, Index) { return 1.0; });
  b.fill([](int, Index) { return 2.0; });
  first.start(a.const_views);
  moved.start(b.const_views);
  moved.finish(b.views);
  first.finish(a.views);
  for (int part = 0; part < team.parts(); ++part) {
    EXPECT_EQ(a.to_host(part), std::vector<double>(6, 1.0));
    EXPECT_EQ(b.to_host(part), std::vector<double>(6, 2.0));
  }
}

}  // namespace
}  // namespace halocline
