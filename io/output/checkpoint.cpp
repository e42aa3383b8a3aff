#include "io/output/checkpoint.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "io/collective.hpp"
#include "io/files.hpp"
#include "io/h5/value_files.hpp"
#include "io/manifest.hpp"
#include "io/output/state_archives.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr const char* prefix = "checkpoint_";
constexpr const char* ending = ".h5";
constexpr const char* time_name = "driver_time";  // as the driver names it
constexpr const char* index_name = "values";      // of an attribute: the text of ValueFiles::index()
constexpr double rounding = 1e-9;

std::string name_of(Index number) { return formatted("{}{:04}{}", prefix, number, ending); }

std::string stem_of(const std::string& file) { return file.substr(0, file.size() - std::string(ending).size()); }

// Number of a generation; 0 for names that are none.
Index number_of(const std::string& name) {
  const std::string digits = name.substr(std::string(prefix).size());
  const Index number = std::strtoll(digits.c_str(), nullptr, 10);
  return number > 0 && name == name_of(number) ? number : 0;
}

}  // namespace

Checkpoints::Checkpoints(Writers writers, std::string directory, int keep, CheckpointIdentity identity,
                         CheckpointFiles files)
    : writers_(std::move(writers)),
      comm_(writers_.comm()),
      directory_(std::move(directory)),
      keep_(std::max(keep, 1)),
      identity_(std::move(identity)),
      outputs_(comm_, directory_),
      files_(files) {}

std::vector<std::string> Checkpoints::generations() const {
  std::vector<Index> numbers;
  on_rank0(comm_, [&] {
    for (const auto& name : list_files(directory_, prefix, ending)) {
      if (number_of(name) > 0) numbers.push_back(number_of(name));
    }
    std::sort(numbers.begin(), numbers.end());
  });
  Index size = static_cast<Index>(numbers.size());
  comm_.broadcast(std::span(&size, 1));
  numbers.resize(static_cast<std::size_t>(size));
  comm_.broadcast(numbers);
  std::vector<std::string> names;
  for (const Index number : numbers) names.push_back(name_of(number));
  return names;
}

std::string Checkpoints::save(const Archive& archive) {
  const auto old = generations();
  const std::string path = directory_ + "/" + name_of(old.empty() ? 1 : number_of(old.back()) + 1);
  remove_remains(old);
  write_file(path, archive, outputs_.settle());
  remove_old(old);
  return path;
}

// What a run that was killed has left of checkpoints that never got their names, or have been removed.
void Checkpoints::remove_remains(const std::vector<std::string>& whole) const {
  on_rank0(comm_, [&] {
    for (const char* suffix : {".h5.tmp", ".values.tmp", ".values"}) {
      for (const std::string& name : list_files(directory_, prefix, suffix)) {
        const std::string of = name.substr(0, name.find('.')) + ending;
        const bool needed = !name.ends_with(".tmp") && std::find(whole.begin(), whole.end(), of) != whole.end();
        if (!needed && is_name_of_run(name, "", false)) remove_file(directory_ + "/" + name);
      }
    }
  });
}

// The file that names the others goes first, so that none names what is gone.
void Checkpoints::remove_old(const std::vector<std::string>& old) const {
  on_rank0(comm_, [&] {
    for (std::size_t i = 0; i + static_cast<std::size_t>(keep_) <= old.size(); ++i) {
      remove_file(directory_ + "/" + old[i]);
      for (const std::string& name : value_files_of(directory_, stem_of(old[i]))) remove_file(directory_ + "/" + name);
    }
  });
}

void Checkpoints::write_file(const std::string& path, const Archive& archive, const std::string& outputs) const {
  const std::string keys = identity_.keys.text();
  OutputFile file(writers_, path);
  std::optional<ValueFiles> values;
  if (files_ == CheckpointFiles::writers) values.emplace(writers_, stem_of(path));
  file.structure(identity_.deck.size() + identity_.formulas.size() + identity_.shape.size() + keys.size(),
                 [&](h5::File& made) {
                   made.set_attribute("/", "family", identity_.family);
                   made.set_attribute("/", "shape", identity_.shape);
                   made.set_attribute("/", "version", identity_.version);
                   made.set_attribute("/", "deck", identity_.deck);
                   made.set_attribute("/", "formulas", identity_.formulas);
                   made.set_attribute("/", "keys", keys);
                   made.set_attribute("/", "outputs", outputs);
                 });
  SavingArchive saving(comm_, file, values ? &*values : nullptr);
  archive(saving);
  saving.finish();
  if (values) {
    values->commit();
    file.structure(values->index().size(),
                   [&](h5::File& made) { made.set_attribute("/", index_name, values->index()); });
  }
  on_rank0(comm_, [&] { seal_file(file.temporary(), saving.ranges()); });
  try {
    file.commit(true);
  } catch (const MachineError&) {  // perhaps behind the rename, and the values go
    if (values && comm_.rank() == 0) remove_file(path);
    throw;
  }
  if (values) values->keep();
}

std::string Checkpoints::damage(const std::string& path) const {
  try {
    const std::string fault = fault_of_seal(comm_, path);
    return fault.empty() ? damage_beside(path) : fault;
  } catch (const MachineError& error) {
    return error.what();
  }
}

// The same of the files of values that a whole one names.
std::string Checkpoints::damage_beside(const std::string& path) const {
  std::string index;
  on_rank0(comm_, [&] {
    const h5::File file(path, h5::File::Mode::read);
    if (file.has_attribute("/", index_name)) index = file.text_attribute("/", index_name);
  });
  comm_.broadcast(index);
  const std::size_t slash = path.rfind('/');
  return index.empty() ? ""
                       : fault_of_value_files(comm_, slash == std::string::npos ? "." : path.substr(0, slash), index);
}

void Checkpoints::check_identity(const std::string& path, std::vector<std::string>& warnings) const {
  const h5::File file(path, h5::File::Mode::read);
  const auto same = [&](const char* what, const std::string& wanted) {
    const std::string found = file.text_attribute("/", what);
    if (found == wanted) return;
    throw DeckError(path + ": the checkpoint belongs to " + what + " " + found + ", the deck to " + wanted);
  };
  same("family", identity_.family);
  const Fingerprint saved = read_fingerprint(file.text_attribute("/", "keys"));
  const std::string changed = differences(saved, identity_.keys, false);
  if (!changed.empty()) throw DeckError(path + ": the checkpoint belongs to another problem: " + changed);
  same("shape", identity_.shape);
  if (file.text_attribute("/", "formulas") != identity_.formulas) {
    const std::string moved = differences(saved, identity_.keys, true);
    throw DeckError(path + ": the checkpoint belongs to another problem of the same shape" +
                    (moved.empty() ? "" : ": " + moved) +
                    "; equation, mesh and data, and what is chosen by them, must be those it was saved with");
  }
  const double time = file.has_attribute(scalar_group, time_name) ? file.number_attribute(scalar_group, time_name) : 0;
  if (time > identity_.end * (1 + rounding))
    throw DeckError(
        formatted("{}: the checkpoint is of time {:g}, after the end of the run, {:g}", path, time, identity_.end));
  const std::string version = file.text_attribute("/", "version");
  if (version != identity_.version) {
    warnings.push_back(path + " was saved by version " + version + " of the program, this is " + identity_.version);
  }
}

Checkpoints::Restored Checkpoints::read(const std::string& path, const Archive& archive,
                                        std::vector<std::string> warnings) const {
  on_all_ranks(comm_, [&] { check_identity(path, warnings); });
  std::optional<RestoringArchive> restoring;
  on_all_ranks(comm_, [&] { restoring.emplace(path); });
  archive(*restoring);
  return {path, std::move(warnings)};
}

// What the checkpoint counts on and is not there: "fields_0003.vtkhdf is gone".
std::string Checkpoints::lack(const std::string& path) const {
  std::string fault;
  on_rank0(comm_, [&] {
    const h5::File file(path, h5::File::Mode::read);
    fault = fault_of_outputs(directory_, file.text_attribute("/", "outputs"));
  });
  comm_.broadcast(fault);
  return fault;
}

std::string Checkpoints::find_newest(std::vector<std::string>& warnings) const {
  const auto names = generations();
  std::string all;
  bool whole = names.empty();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    std::string path = directory_ + "/" + *name;
    const std::string fault = damage(path);
    if (!fault.empty()) {
      warnings.push_back("damaged checkpoint passed over: " + fault);
      all += "\n  " + fault;
      continue;
    }
    whole = true;
    const std::string missing = lack(path);
    if (missing.empty()) return path;
    warnings.push_back(path + " passed over: of the outputs before it " + missing);
  }
  if (!whole)
    throw MachineError("no checkpoint in " + directory_ + " is whole:" + all +
                       "\nThe run can only be computed anew, with --overwrite or in another directory (--set " +
                       "output.directory=DIR)");
  if (!names.empty())
    warnings.push_back("the run begins anew; --restart FILE goes on from a checkpoint without the outputs before it");
  return "";
}

void Checkpoints::check_file(const std::string& path) const {
  on_rank0(comm_, [&] {
    if (!std::filesystem::is_regular_file(path)) throw DeckError("there is no checkpoint " + path);
  });
  const std::string fault = damage(path);
  if (!fault.empty()) throw MachineError("damaged checkpoint: " + fault);
}

Checkpoints::Restored Checkpoints::check(const std::string& restart) const {
  std::vector<std::string> warnings;
  if (restart != "auto") check_file(restart);
  const std::string path = restart == "auto" ? find_newest(warnings) : restart;
  if (!path.empty()) on_all_ranks(comm_, [&] { check_identity(path, warnings); });
  return {path, std::move(warnings)};
}

Checkpoints::Restored Checkpoints::restore_newest(const Archive& archive) const {
  std::vector<std::string> warnings;
  const std::string path = find_newest(warnings);
  return path.empty() ? Restored{"", std::move(warnings)} : read(path, archive, std::move(warnings));
}

Checkpoints::Restored Checkpoints::restore(const std::string& path, const Archive& archive) const {
  check_file(path);
  return read(path, archive, {});
}

bool holds_checkpoint(const std::string& directory) {
  const auto names = list_files(directory, prefix, ending);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) { return number_of(name) > 0; });
}

}  // namespace halocline
