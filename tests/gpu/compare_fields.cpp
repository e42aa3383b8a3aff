// Whether two runs wrote the same: every dataset of fields_*.vtkhdf and tables.h5, bit by bit. Attributes, which hold
// the deck with its layout, do not count.
//
//   compare_fields DIRECTORY DIRECTORY      exit code 0: all the same; 1: not, with the first difference
#include <hdf5.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Contents {
  std::vector<std::string> datasets;
  hid_t file = -1;
  explicit Contents(const fs::path& path) : file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    if (file < 0) return;
    const auto note = [](hid_t, const char* name, const H5O_info_t* info, void* list) -> herr_t {
      if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(list)->push_back(name);
      return 0;
    };
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note, &datasets, H5O_INFO_BASIC);
  }
  ~Contents() {
    if (file >= 0) H5Fclose(file);
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
};

// The bytes of a dataset as they lie in the file; empty when it cannot be read.
std::vector<char> bytes_of(hid_t file, const std::string& name) {
  const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (set < 0) return {};
  const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  std::vector<char> bytes(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type));
  if (!bytes.empty() && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) bytes.clear();
  H5Sclose(space), H5Tclose(type), H5Dclose(set);
  return bytes;
}

std::set<std::string> files_of(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (name == "tables.h5" || (name.rfind("fields_", 0) == 0 && entry.path().extension() == ".vtkhdf"))
      names.insert(name);
  }
  return names;
}

int differs(const std::string& what) {
  std::printf("%s\n", what.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return differs("compare_fields DIRECTORY DIRECTORY");
  const std::set<std::string> files = files_of(argv[1]);
  if (files.empty() || files != files_of(argv[2])) return differs("the directories have different files, or none");
  std::size_t count = 0, bytes = 0;
  for (const std::string& name : files) {
    const Contents a(fs::path(argv[1]) / name), b(fs::path(argv[2]) / name);
    if (a.file < 0 || b.file < 0) return differs(name + ": cannot be read");
    if (a.datasets != b.datasets) return differs(name + ": different datasets");
    for (const std::string& set : a.datasets) {
      const std::vector<char> x = bytes_of(a.file, set), y = bytes_of(b.file, set);
      if (x.size() != y.size()) return differs(name + ": " + set + " has another size");
      const auto first = std::mismatch(x.begin(), x.end(), y.begin()).first - x.begin();
      if (first != static_cast<std::ptrdiff_t>(x.size()))
        return differs(name + ": " + set + " differs at byte " + std::to_string(first));
      ++count, bytes += x.size();
    }
  }
  std::printf("%zu datasets, %zu bytes\n", count, bytes);
  return 0;
}
