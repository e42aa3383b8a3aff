// Manifest: which files of a directory halocline has written, in its file run.files. Only these are replaced or
// removed; what else has a name that a run needs is in the way, and stays.
//
// While a run is at work its manifest is open: there was nothing in the way when it began, so files with the names of a
// run are its own, also when it is killed. A run that ends lists them.
#pragma once

#include <string>
#include <vector>

namespace halocline {

// Whether a run writes files of this name into its directory; `picture`: the field that it makes pictures of, if any.
// With `tables` also those of a study or a sweep. Names of unfinished files are among them.
bool is_name_of_run(const std::string& name, const std::string& picture, bool tables);

class Manifest {
 public:
  static constexpr const char* file_name = "run.files";

  // Reads that of the directory, if any. MachineError where a file of its name is none.
  explicit Manifest(std::string directory);

  // By its name within the directory, as "images/c_0001.png": a plain file, no link, that halocline has written.
  bool owns(const std::string& name) const;
  std::vector<std::string> own_files() const;
  // The first file that is there, is not owned and has a name that a run needs; "" when there is none.
  std::string in_the_way(const std::string& picture, bool tables) const;

  // Whether a sweep has made this run, or one that it continues.
  bool is_case() const { return case_; }

  // Before the first file is written; on the disk when this returns. `of_sweep`: is_case() from now on.
  void open(const std::string& picture, bool tables, bool of_sweep = false);
  // Lists the files that are there, unless that was done.
  void close();
  // One more, of a run that has ended.
  void add(const std::string& name);
  // Removes the manifest itself.
  void remove();

 private:
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::vector<std::string> files() const;  // in the directory and in its folder of pictures
  void sort_names();
  void write(bool durable);

  std::string directory_;
  bool open_ = false, case_ = false;
  std::string picture_;  // these two while it is open
  bool tables_ = false;
  std::vector<std::string> names_;  // sorted, since there may be very many
};

// Refuses a figure or a page at this path that would replace a file which halocline has not written, and takes it into
// the manifest of its directory where that is one of a run. `chosen`: the user has named the path; then plain files are
// replaced, whoever has written them. MachineError, with the name.
void claim_file(const std::string& path, bool chosen);

}  // namespace halocline
