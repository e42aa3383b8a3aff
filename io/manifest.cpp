#include "io/manifest.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string_view>
#include <utility>

#include "io/files.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

constexpr const char* first_line = "halocline: the files of this directory that it may replace";
constexpr const char* open_line = "open, pictures of ";
constexpr const char* tables_line = "open, tables, pictures of ";
constexpr const char* closed_line = "closed";
constexpr std::string_view case_mark = "case of a sweep, ";
constexpr const char* unfinished = ".tmp";

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_plain(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string without_ending(const std::string& name) {
  return name.ends_with(unfinished) ? name.substr(0, name.size() - std::string(unfinished).size()) : name;
}

// Whether a run that was killed has left this of a manifest: nothing, room without text, or the text from its
// beginning.
bool is_begun(const std::string& text) {
  return text.find_first_not_of('\0') == std::string::npos ||
         std::string(first_line).starts_with(text.substr(0, std::string(first_line).size()));
}

bool is_picture(const std::string& name, const std::string& picture) {
  const std::string begin = "images/" + picture;
  if (picture.empty() || !name.starts_with(begin)) return false;
  const std::string rest = name.substr(begin.size());
  static const std::regex numbered("(_\\d{4,}\\.png|\\.csv)");
  return std::regex_match(rest, numbered);
}

}  // namespace

bool is_name_of_run(const std::string& name, const std::string& picture, bool tables) {
  static const std::regex of_run(
      "(fields_\\d{4,}\\.(vtk)?hdf|fields_grid(_\\d{4,})?\\.h5|fields\\.(vtk)?hdf\\.series|fields\\.xdmf|"
      "tables\\.(h5|xdmf)|checkpoint_\\d{4,}\\.(h5|\\d{4,}\\.values)|run(_\\d+)?\\.log|report\\.json|runlog\\.csv|"
      "diffusion\\.\\d{7,}\\.(png|csv)|deck\\.yaml)");
  static const std::regex of_tables("(study\\.csv|sweep\\.(csv|h5|xdmf))");
  const std::string whole = without_ending(name);
  return std::regex_match(whole, of_run) || is_picture(whole, picture) ||
         (tables && std::regex_match(whole, of_tables));
}

Manifest::Manifest(std::string directory) : directory_(std::move(directory)) {
  const std::string file = path(file_name);
  if (!is_there(file)) return;
  const std::string text = is_plain(file) ? read_text(file) : "";
  std::string_view lines = text, line;
  if (!next_line(lines, line) || line != first_line)
    throw MachineError(file +
                       " is in the way: halocline has not written it; nothing was computed. Move it, or choose " +
                       "another directory with --set output.directory=DIR");
  next_line(lines, line);
  case_ = line.starts_with(case_mark);
  if (case_) line.remove_prefix(case_mark.size());
  tables_ = line.starts_with(tables_line);
  open_ = tables_ || line.starts_with(open_line);
  if (open_) picture_ = line.substr(std::string_view(tables_ ? tables_line : open_line).size());
  while (next_line(lines, line)) names_.emplace_back(line);
  sort_names();
}

void Manifest::sort_names() {
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

bool Manifest::owns(const std::string& name) const {
  const bool named =
      std::binary_search(names_.begin(), names_.end(), name) || (open_ && is_name_of_run(name, picture_, tables_));
  return named && is_plain(path(name));
}

std::vector<std::string> Manifest::files() const {
  std::vector<std::string> names = list_files(directory_, "", "");
  std::error_code none;
  if (fs::is_directory(fs::symlink_status(directory_ + "/images", none)))
    for (const std::string& name : list_files(directory_ + "/images", "", "")) names.push_back("images/" + name);
  return names;
}

std::vector<std::string> Manifest::own_files() const {
  std::vector<std::string> names = files();
  std::erase_if(names, [this](const std::string& name) { return !owns(name); });
  return names;
}

std::string Manifest::in_the_way(const std::string& picture, bool tables) const {
  std::error_code none;
  const fs::file_status images = fs::symlink_status(directory_ + "/images", none);
  if (!picture.empty() && fs::exists(images) && !fs::is_directory(images)) return "images";
  for (const std::string& name : files())
    if (is_name_of_run(name, picture, tables) && !owns(name)) return name;
  return "";
}

void Manifest::open(const std::string& picture, bool tables, bool of_sweep) {
  for (std::string& name : own_files()) names_.push_back(std::move(name));
  sort_names();
  open_ = true;
  picture_ = picture;
  tables_ = tables;
  case_ = of_sweep;
  write(true);
}

void Manifest::close() {
  if (!open_) return;
  names_ = own_files();
  sort_names();
  open_ = false;
  write(false);
}

void Manifest::add(const std::string& name) {
  names_.push_back(name);
  sort_names();
  write(false);
}

void Manifest::remove() {
  if (is_plain(path(file_name))) remove_file(path(file_name));
}

void Manifest::write(bool durable) {
  const std::string file = path(file_name), temporary = file + unfinished;
  if (is_plain(temporary) && is_begun(read_text(temporary))) remove_file(temporary);
  replace_file_by(file, [&](const Put& put) {
    put(std::string(first_line) + "\n");
    if (case_) put(case_mark);
    put((open_ ? (tables_ ? tables_line : open_line) + picture_ : closed_line) + "\n");
    for (const std::string& name : names_) {
      put(name);
      put("\n");
    }
  });
  if (durable) put_on_disk(directory_);
}

void claim_file(const std::string& path, bool chosen) {
  const fs::path file(path);
  const std::string directory = file.has_parent_path() ? file.parent_path().string() : ".";
  const std::string name = file.filename().string();
  if (is_there(path) && !is_plain(path)) throw MachineError(path + " is in the way: it is no plain file");
  std::error_code none;
  const bool of_run = fs::exists(directory + "/" + Manifest::file_name, none);
  if (!of_run && (chosen || !is_there(path))) return;
  if (!of_run)
    throw MachineError(path + " is in the way: halocline has not written it; name another one with --output");
  Manifest manifest(directory);
  if (manifest.owns(name)) return;
  if (is_there(path) && chosen) return;  // it stays the user's
  if (is_there(path))
    throw MachineError(path + " is in the way: halocline has not written it; name another one with --output");
  manifest.add(name);
}

}  // namespace halocline
