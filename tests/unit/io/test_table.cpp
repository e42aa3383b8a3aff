// Columns and series read back with h5::File.
#include <gtest/gtest.h>

#include <vector>

#include "io/output/table.hpp"
#include "lib/base/array.hpp"
#include "output_support.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

constexpr Index rows = 101;

template <class T>
void add_column(Tables& tables, const Communicator& comm, const std::vector<ExecutorPtr>& executors,
                const FieldInfo& info, T factor) {
  const int parts = static_cast<int>(executors.size()), all = parts * comm.size();
  for (int p = 0; p < parts; ++p) {
    const int part = comm.rank() * parts + p;
    const Range<1> block{{rows * part / all}, {rows * (part + 1) / all}};
    std::vector<T> host;
    for (Index i = block.lo[0]; i < block.hi[0]; ++i) host.push_back(factor * static_cast<T>(i));
    Array<T, 1> device(executors[p], {block.extent(0)});
    device.assign(host);
    tables.column(info, block, View<const T, 1>(device.view()), *executors[p]);
  }
}

template <class T>
std::vector<T> read(const h5::File& file, const std::string& dataset, h5::Type type) {
  const h5::Extent shape = file.extent(dataset);
  EXPECT_EQ(file.type(dataset), type);
  std::vector<T> values(static_cast<std::size_t>(shape[0]));
  const h5::Target target{{0}, shape, reinterpret_cast<std::byte*>(values.data())};
  file.read(dataset, type, shape, std::span(&target, 1));
  return values;
}

using TableTest = OnEveryExecutor;

TEST_P(TableTest, KeepsTheLastColumnsAndEverySeries) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "table");
  const auto executors = make_test_executors(GetParam(), 3);
  Tables tables(comm, scratch / "tables.h5", {{"version", "1.2.3"}});
  tables.write();
  EXPECT_EQ(scratch.files(), 0);  // nothing to write yet
  comm.barrier();
  tables.begin_step();
  add_column(tables, comm, executors, {"old", "s"}, 1.0);
  tables.series("residual", "1", std::vector<double>{1.0, 0.5});
  tables.write();
  tables.begin_step();
  add_column(tables, comm, executors, {"period", "s"}, 0.5);
  add_column(tables, comm, executors, {"crossings", "1"}, Index{3});
  tables.series("residual", "1", std::vector<double>{1.0, 0.5, 0.25});
  tables.series("probe/p", "Pa", std::vector<double>{});
  tables.write();
  tables.begin_step();  // a step without columns keeps them
  tables.write();
  EXPECT_EQ(scratch.files(), 1);
  const h5::File file(scratch / "tables.h5", h5::File::Mode::read);
  EXPECT_EQ(file.text_attribute("/", "version"), "1.2.3");
  EXPECT_EQ(file.children("/columns"), (std::vector<std::string>{"crossings", "period"}));
  EXPECT_EQ(file.text_attribute("/columns/period", "unit"), "s");
  const auto period = read<double>(file, "/columns/period", h5::Type::float64);
  const auto crossings = read<Index>(file, "/columns/crossings", h5::Type::int64);
  ASSERT_EQ(period.size(), 101u);
  ASSERT_EQ(crossings.size(), 101u);
  for (Index i = 0; i < rows; ++i) {
    EXPECT_EQ(period[i], 0.5 * static_cast<double>(i));
    EXPECT_EQ(crossings[i], 3 * i);
  }
  EXPECT_EQ(read<double>(file, "/series/residual", h5::Type::float64), (std::vector<double>{1.0, 0.5, 0.25}));
  EXPECT_EQ(read<double>(file, "/series/probe/p", h5::Type::float64), std::vector<double>{});
  comm.barrier();
}

TEST_P(TableTest, FullDiskKeepsTheOldTable) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "table_full");
  Tables tables(comm, scratch / "tables.h5", {});
  tables.series("a", "", std::vector<double>(10, 1.0));
  tables.write();
  tables.series("a", "", std::vector<double>(1 << 18, 2.0));
  {
    const FileSizeLimit limit(1 << 20);
    EXPECT_NE(machine_error([&] { tables.write(); }), "");
  }
  comm.barrier();
  EXPECT_EQ(scratch.files(), 1);
  const h5::File file(scratch / "tables.h5", h5::File::Mode::read);
  EXPECT_EQ(read<double>(file, "/series/a", h5::Type::float64), std::vector<double>(10, 1.0));
  comm.barrier();
}

TEST_P(TableTest, KeepsRowsOfSeveralValuesWithPathsAndTexts) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "wide");
  const auto executors = make_test_executors(GetParam(), 2);
  Tables tables(comm, scratch / "tables.h5", {});
  tables.begin_step();
  FieldInfo info{"result/peak", "m"};
  info.width = 3;
  info.attributes = {{"reduction", "maximum"}};
  for (int p = 0; p < 2; ++p) {
    const int part = comm.rank() * 2 + p, all = 2 * comm.size();
    const Range<1> block{{rows * part / all}, {rows * (part + 1) / all}};
    std::vector<double> host;
    for (Index i = 3 * block.lo[0]; i < 3 * block.hi[0]; ++i) host.push_back(0.5 * static_cast<double>(i));
    Array<double, 1> device(executors[p], {3 * block.extent(0)});
    device.assign(host);
    tables.column(info, block, View<const double, 1>(device.view()), *executors[p]);
  }
  tables.text("model/source", "y' = -y");
  tables.write();
  comm.barrier();
  const h5::File file(scratch / "tables.h5", h5::File::Mode::read);
  ASSERT_EQ(file.extent("/result/peak"), (h5::Extent{rows, 3}));
  EXPECT_EQ(file.text_attribute("/result/peak", "reduction"), "maximum");
  EXPECT_EQ(file.text_attribute("/result/peak", "unit"), "m");
  EXPECT_EQ(file.text_attribute("/model", "source"), "y' = -y");
  std::vector<double> values(3 * rows);
  const h5::Target target{{0, 0}, {rows, 3}, reinterpret_cast<std::byte*>(values.data())};
  file.read("/result/peak", h5::Type::float64, {rows, 3}, std::span(&target, 1));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 0.5 * static_cast<double>(i));
}

INSTANTIATE_TEST_SUITE_P(Executors, TableTest, every_executor(), executor_name);

}  // namespace
}  // namespace halocline
