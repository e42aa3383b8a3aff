#include "io/output/result_writer.hpp"

#include <algorithm>
#include <utility>

namespace halocline {

ResultWriter::ResultWriter(const Writers& writers, const std::string& directory, std::vector<std::string> wanted,
                           const Metadata& metadata, WriterOptions options)
    : wanted_(std::move(wanted)),
      fields_(writers, directory, "fields", metadata, options),
      tables_(writers, directory + "/tables.h5", metadata) {}

void ResultWriter::begin_step(double time) {
  fields_.begin_step(time);
  tables_.begin_step();
}

void ResultWriter::end_step() {
  fields_.end_step();
  tables_.write();
}

bool ResultWriter::wants(const std::string& field) const {
  return wanted_.empty() || std::find(wanted_.begin(), wanted_.end(), field) != wanted_.end();
}

void ResultWriter::field(const FieldInfo& info, int, const Range<3>& block, View<const double, 3> values,
                         const Executor& executor) {
  if (wants(info.name)) fields_.field(info, block, values, executor);
}

void ResultWriter::column(const FieldInfo& info, int, const Range<1>& block, View<const double, 1> values,
                          const Executor& executor) {
  if (wants(info.name)) tables_.column(info, block, values, executor);
}

void ResultWriter::column(const FieldInfo& info, int, const Range<1>& block, View<const Index, 1> values,
                          const Executor& executor) {
  if (wants(info.name)) tables_.column(info, block, values, executor);
}

void ResultWriter::series(const std::string& name, const std::string& unit, std::span<const double> values) {
  tables_.series(name, unit, values);
}

}  // namespace halocline
