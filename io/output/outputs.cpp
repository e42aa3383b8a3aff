#include "io/output/outputs.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "io/collective.hpp"
#include "io/files.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

// Calls with the name and the inode of every plain file, as far as the file system tells without a look at each; there
// may be very many.
template <class Visit>
void for_each_file(const std::string& directory, const std::string& prefix, const Visit& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(directory.c_str()), ::closedir);
  if (!folder) return;
  for (const dirent* entry = ::readdir(folder.get()); entry != nullptr; entry = ::readdir(folder.get()))
    if (entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN)
      visit(prefix + entry->d_name, static_cast<unsigned long long>(entry->d_ino));
}

// "images/c" of "images/c_0012.png"; "" without a number at the end.
std::string name_before_number(const std::string& file) {
  const std::string stem = file.substr(0, file.rfind('.'));
  std::size_t digits = 0;
  while (digits < stem.size() && std::isdigit(static_cast<unsigned char>(stem[stem.size() - 1 - digits])) != 0)
    ++digits;
  if (digits < 4 || stem.size() < digits + 1) return "";
  return stem.substr(0, stem.size() - digits - 1);
}

// Files that are not written again after their time. Pictures are those of an index.
bool stays(const std::string& file, const std::vector<std::string>& pictures) {
  if (file.ends_with(".tmp")) return false;
  const std::string name = name_before_number(file);
  if (file == "fields_grid.h5") return true;
  if (name.starts_with("images/"))
    return file.ends_with(".png") && std::find(pictures.begin(), pictures.end(), name) != pictures.end();
  return (name == "fields" && file.ends_with(".vtkhdf")) || name == "fields_grid" || name == "diffusion";
}

bool is_index(const std::string& file) {
  return file == "fields.xdmf" || file == "fields.vtkhdf.series" || file == "runlog.csv" || file == "tables.h5" ||
         file == "tables.xdmf" || file == "deck.yaml" || file == "run.files" ||
         (file.starts_with("images/") && file.ends_with(".csv"));
}

// ns since some moment.
long long time_of_change(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return 0;
  return status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec;
}

}  // namespace

std::string Outputs::settle() {
  std::map<std::string, Settled> now;
  std::string list, fresh;
  if (comm_.rank() == 0) {
    const std::string images = directory_ + "/images";
    std::vector<std::string> pictures;
    for_each_file(images, "images/", [&](const std::string& name, unsigned long long) {
      if (name.ends_with(".csv")) pictures.push_back(name.substr(0, name.size() - 4));
    });
    const auto take = [&](const std::string& name, unsigned long long inode) {
      const bool numbered = stays(name, pictures);
      if (!numbered && !is_index(name)) return;
      const long long changed = numbered ? 0 : time_of_change(directory_ + "/" + name);
      const auto before = settled_.find(name);
      if (before != settled_.end() && before->second.inode == inode && before->second.changed == changed) {
        now.insert(settled_.extract(before));
        return;
      }
      (fresh += name) += "\n";
      now[name] = {inode, -1, changed};
    };
    for_each_file(directory_, "", take);
    for_each_file(images, "images/", take);
  }
  comm_.broadcast(fresh);
  on_all_ranks(comm_, [&] {
    if (comm_.node_rank() != 0) return;
    for_each_line(fresh, [&](std::string_view name) { put_on_disk((directory_ + "/").append(name)); });
    if (comm_.rank() != 0) return;
    if (!fresh.empty() && fs::is_directory(directory_ + "/images")) put_on_disk(directory_ + "/images");
    if (!fresh.empty()) put_on_disk(directory_);
    for (auto& [name, file] : now) {
      if (file.changed != 0) continue;
      if (file.bytes < 0) file.bytes = static_cast<long long>(fs::file_size(directory_ + "/" + name));
      list += formatted("{} {}\n", file.bytes, name);
    }
  });
  settled_ = std::move(now);
  return list;
}

std::string fault_of_outputs(const std::string& directory, const std::string& list) {
  std::string fault;
  for_each_line(list, [&](std::string_view line) {
    if (!fault.empty()) return;
    const std::size_t space = line.find(' ');
    const std::string name(line.substr(space + 1)), wanted(line.substr(0, space));
    std::error_code error;
    const auto bytes = fs::file_size(directory + "/" + name, error);
    if (error)
      fault = name + " is gone";
    else if (std::to_string(bytes) != wanted)
      fault = formatted("{} has {} bytes instead of {}", name, bytes, wanted);
  });
  return fault;
}

}  // namespace halocline
