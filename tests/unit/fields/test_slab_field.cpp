// Fields in slabs over devices and ranks: where values lie, ghosts, checkpoints for other partitions.
#include "tests/unit/fields/slab_cases.hpp"
#include "tests/unit/memory_archive.hpp"

namespace halocline {
namespace {

double number(Index x, Index y, Index z) { return static_cast<double>(1 + x + 100 * y + 10000 * z); }

// Every value of the rows with ghosts of a part, as the global row says; ghosts beyond the ends are not looked at.
template <class T>
void expect_ghosts(const SlabField<T>& field, Index more, bool wraps) {
  const Slabs<T>& slabs = field.slabs();
  for (int p = 0; p < slabs.parts(); ++p) {
    const SlabLayout& slab = field.layout(p);
    const SlabRows rows = slabs.rows_with(p, more);
    const Index all = slabs.partition().count(), stride = slab.slow_stride();
    std::vector<T> found(static_cast<std::size_t>((rows.hi - rows.lo) * stride));
    slabs.team().executor(p)->copy_out(found.data(), field.data(p) + rows.lo * stride, found.size() * sizeof(T));
    const Range<1> own = slabs.rows(p);
    EXPECT_EQ(rows.lo, wraps || own.lo[0] > 0 ? -more : 0);
    EXPECT_EQ(rows.hi, own.size() + (wraps || own.hi[0] < all ? more : 0));
    const SlabRows inner = slabs.inner_rows(p, more);
    EXPECT_EQ(inner.lo, std::min(own.size(), -rows.lo));
    EXPECT_EQ(inner.hi, std::max(inner.lo, own.size() - (rows.hi - own.size())));
    for (Index n = 0; n < (rows.hi - rows.lo) * slab.inner(); ++n)
      for (Index x = 0; x < slab.extent[0]; ++x) {
        const Index row = (slab.first + rows.lo + n / slab.inner() + all) % all, line = n % slab.inner();
        const double expected = slab.dimensions == 3 ? number(x, line, row) : number(x, row, 0);
        const Index at = slab.line(n, 0) + x;
        ASSERT_EQ(found[static_cast<std::size_t>(at)], static_cast<T>(expected)) << "part " << p << ", line " << n;
      }
  }
}

class SlabFieldTest : public testing::TestWithParam<TestDevice> {
 protected:
  template <class T>
  void exchange(const UniformGrid& grid, const SlabRules& rules) {
    for (const int devices : {1, 2}) {
      SlabCase<T> parts(GetParam(), devices, grid, rules);
      SlabField<T> field(parts.slabs());
      fill(field, number);
      field.start_exchange();
      field.finish_exchange();
      const bool alone = parts.slabs()->partition().parts() == 1;
      EXPECT_EQ(parts.slabs()->open(), !alone || (rules.periodic && rules.also_alone));
      expect_ghosts(field, rules.halo, rules.periodic && parts.slabs()->open());
    }
  }
};

TEST(SlabPitch, RowsAreWholeLinesApartAndNoPages) {
  EXPECT_EQ(slab_pitch(13, 8, 8), 16);
  EXPECT_EQ(slab_pitch(16, 16, 8), 16);
  EXPECT_EQ(slab_pitch(512, 16, 8), 528);
  EXPECT_EQ(slab_pitch(1020, 16, 4), 1040);
  EXPECT_EQ(slab_pitch(512, 16, 4), 512);
}

TEST_P(SlabFieldTest, GhostsComeFromNeighbors) {
  exchange<double>(some_grid(GridLayout::nodes, {6, 4, 20}), {.halo = 1});
  exchange<float>(some_grid(GridLayout::cells, {17, 30}), {.halo = 2});
}

TEST_P(SlabFieldTest, GhostsComeFromTheOtherEnd) {
  UniformGrid grid = some_grid(GridLayout::nodes, {6, 4, 20});
  grid.make_periodic(2);
  exchange<double>(grid, {.halo = 1, .periodic = true});
  exchange<float>(grid, {.halo = 1, .periodic = true, .also_alone = true, .pitch = 48});
}

TEST_P(SlabFieldTest, FieldsTogetherExchangeAtOnce) {
  const UniformGrid grid = some_grid(GridLayout::cells, {6, 4, 24});
  for (const int devices : {1, 2}) {
    SlabCase<double> parts(GetParam(), devices, grid, {.halo = 1, .periodic = true, .fields = 3});
    std::vector<SlabField<double>> fields = SlabField<double>::together(parts.slabs());
    ASSERT_EQ(fields.size(), 3u);
    SlabField<double> other(parts.slabs());  // any field may lie on such slabs
    // The middle one like the single fields of the other tests, those beside it with other values.
    for (const int f : {0, 1, 2})
      fill(fields[static_cast<std::size_t>(f)],
           [f](Index x, Index y, Index z) { return number(x, y, z) + (f == 1 ? 0.0 : 1e7); });
    const Traffic before = parts.slabs()->traffic();
    fields.front().start_exchange();
    fields.front().finish_exchange();
    EXPECT_LE(parts.slabs()->traffic().messages - before.messages, 2);
    if (parts.slabs()->open()) expect_ghosts(fields[1], 1, true);
    for (int p = 0; p < devices; ++p)
      for (const auto& field : fields) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(field.data(p)) % 64, 0u);
  }
}

// Ghosts in faces, edges and corners of boxes, of every field of a group; where they are asked for, across edges.
TEST_P(SlabFieldTest, GhostsOfBoxesComeFromAllAround) {
  for (const bool across : {true, false})
    for (const bool around_y : {false, true})
      for (const bool around_z : {false, true})
        for (const int columns : {2, 3}) {
          UniformGrid grid = some_grid(GridLayout::cells, {6, 13, 25});
          const SlabRules rules{.halo = 2, .periodic = around_z, .periodic_y = around_y, .across = across, .fields = 2};
          SlabCase<double> parts(GetParam(), 2 * columns, columns, grid, rules);
          std::vector<SlabField<double>> fields = SlabField<double>::together(parts.slabs());
          for (int p = 0; p < 2 * columns; ++p) {  // ghosts, too
            const SlabLayout& slab = fields[1].layout(p);
            const std::vector<double> blank(static_cast<std::size_t>(slab.values()), -1.0);
            parts.slabs()->team().executor(p)->copy_in(fields[1].data(p) - slab.origin(), blank.data(),
                                                       blank.size() * sizeof(double));
          }
          fill(fields[0], [](Index, Index, Index) { return 0.0; });
          fill(fields[1], number);
          fields[0].start_exchange();
          fields[0].finish_exchange();
          for (int p = 0; p < 2 * columns; ++p) {
            const SlabLayout& slab = fields[1].layout(p);
            const SlabBox box = parts.slabs()->box_with(p, 2);
            const Range<3> own = parts.slabs()->block(p);
            EXPECT_EQ(box.along_y.lo, around_y || own.lo[1] > 0 ? -2 : 0);
            EXPECT_EQ(box.along_y.hi, own.extent(1) + (around_y || own.hi[1] < 13 ? 2 : 0));
            std::vector<double> found(static_cast<std::size_t>(slab.values()));
            const Executor& executor = *parts.slabs()->team().executor(p);
            executor.copy_out(found.data(), fields[1].data(p) - slab.origin(), found.size() * sizeof(double));
            for (Index z = box.rows.lo; z < box.rows.hi; ++z)
              for (Index y = box.along_y.lo; y < box.along_y.hi; ++y)
                for (Index x = 0; x < 6; ++x) {
                  const bool beyond_both = (y < 0 || y >= own.extent(1)) && (z < 0 || z >= own.extent(2));
                  const double there = found[static_cast<std::size_t>(slab.origin() + slab.offset(z, y, x))];
                  ASSERT_EQ(there == number(x, (own.lo[1] + y + 13) % 13, (own.lo[2] + z + 25) % 25),
                            across || !beyond_both)
                      << there << " at " << x << " " << y << " " << z << " of part " << p;
                }
          }
        }
}

TEST_P(SlabFieldTest, GhostsOfBoxesOfAPlaneComeFromAllAround) {
  for (const bool around_x : {false, true})
    for (const bool around_y : {false, true})
      for (const int columns : {2, 3}) {
        const UniformGrid grid = some_grid(GridLayout::cells, {101, 25});
        SlabCase<double> parts(GetParam(), 2 * columns, columns, grid,
                               {.halo = 3, .periodic = around_y, .periodic_y = around_x});
        SlabField<double> field(parts.slabs());
        fill(field, number);
        field.start_exchange();
        field.finish_exchange();
        for (int p = 0; p < 2 * columns; ++p) {
          const SlabLayout& slab = field.layout(p);
          const SlabBox box = parts.slabs()->box_with(p, 3);
          const Range<3> own = parts.slabs()->block(p);
          EXPECT_EQ(own.lo[0] % line_piece, 0);
          EXPECT_EQ(box.along_x.lo, around_x || own.lo[0] > 0 ? -3 : 0);
          EXPECT_EQ(box.along_x.hi, own.extent(0) + (around_x || own.hi[0] < 101 ? 3 : 0));
          std::vector<double> found(static_cast<std::size_t>(slab.values()));
          parts.slabs()->team().executor(p)->copy_out(found.data(), field.data(p) - slab.origin(),
                                                      found.size() * sizeof(double));
          for (Index y = box.rows.lo; y < box.rows.hi; ++y)
            for (Index x = box.along_x.lo; x < box.along_x.hi; ++x)
              ASSERT_EQ(found[static_cast<std::size_t>(slab.origin() + slab.offset(0, y, x))],
                        number((own.lo[0] + x + 101) % 101, (own.lo[1] + y + 25) % 25, 0))
                  << "at " << x << " " << y << " of part " << p;
        }
      }
}

TEST_P(SlabFieldTest, ValuesLieWhereTheLayoutSays) {
  SlabCase<double> parts(GetParam(), 2, some_grid(GridLayout::cells, {5, 4, 24}), {.halo = 1, .pitch = 16});
  SlabField<double> field(parts.slabs()), other(parts.slabs());
  fill(field, number);
  fill(other, [](Index, Index, Index) { return 0.0; });
  for (int p = 0; p < 2; ++p) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(field.data(p)) % 64, 0u);
    EXPECT_EQ(field.layout(p).pitch, 16);
    EXPECT_EQ(field.view(p).data, field.data(p));
    EXPECT_EQ(field.view(p).stride[0], 64);
    const std::vector<double> values = field.read(p);
    ASSERT_EQ(static_cast<Index>(values.size()), field.layout(p).count(field.layout(p).rows()));
    EXPECT_EQ(values[7], number(2, 1, field.layout(p).first));
    const double* before = field.data(p);
    field.swap(other, p);
    EXPECT_EQ(other.data(p), before);
    EXPECT_EQ(other.read(p), values);
  }
}

template <class T>
void restores_elsewhere(TestDevice device) {
  if (Communicator(MPI_COMM_WORLD).size() > 1) GTEST_SKIP() << "an archive in memory is of one rank";
  const UniformGrid grid = some_grid(GridLayout::cells, {5, 4, 12});
  MemoryArchive archive;
  SlabCase<T> three(device, 3, grid, {.halo = 1});
  SlabField<T> saved(three.slabs());
  fill(saved, number);
  saved.archive(archive, "c");
  archive.restore_from_now_on();
  SlabCase<T> two(device, 2, grid, {});
  SlabField<T> field(two.slabs());
  field.archive(archive, "c");
  std::vector<double> all = field.read(0);
  const std::vector<double> rest = field.read(1);
  all.insert(all.end(), rest.begin(), rest.end());
  ASSERT_EQ(all.size(), 240u);
  for (Index n = 0; n < 240; ++n) ASSERT_EQ(all[static_cast<std::size_t>(n)], number(n % 5, n / 5 % 4, n / 20));
}

// Of boxes by slabs, and of slabs by boxes.
TEST_P(SlabFieldTest, BoxesRestoreCheckpoints) {
  if (Communicator(MPI_COMM_WORLD).size() > 1) GTEST_SKIP() << "an archive in memory is of one rank";
  const UniformGrid grid = some_grid(GridLayout::cells, {5, 9, 12});
  for (const int columns : {2, 3}) {
    MemoryArchive archive;
    SlabCase<double> boxes(GetParam(), 6, columns, grid, {.halo = 1}), slabs(GetParam(), 4, grid, {.halo = 1});
    SlabField<double> saved(columns == 2 ? boxes.slabs() : slabs.slabs());
    fill(saved, number);
    saved.archive(archive, "c");
    archive.restore_from_now_on();
    SlabField<double> field(columns == 2 ? slabs.slabs() : boxes.slabs());
    field.archive(archive, "c");
    for (int p = 0; p < field.slabs().parts(); ++p) {
      const Range<3> own = field.slabs().block(p);
      const std::vector<double> values = field.read(p);
      for (Index n = 0; n < own.size(); ++n)
        ASSERT_EQ(values[static_cast<std::size_t>(n)],
                  number(n % 5, own.lo[1] + n / 5 % own.extent(1), own.lo[2] + n / 5 / own.extent(1)));
    }
  }
}

TEST_P(SlabFieldTest, OtherPartitionsRestoreCheckpoints) {
  restores_elsewhere<double>(GetParam());
  restores_elsewhere<float>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Executors, SlabFieldTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
