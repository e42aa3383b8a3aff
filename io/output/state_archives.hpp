// The two archives behind Checkpoints: one saves the state a problem describes, the other restores it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/h5/output_file.hpp"
#include "io/h5/parts.hpp"
#include "io/h5/value_files.hpp"
#include "io/output/seal.hpp"
#include "lib/base/packed_archive.hpp"

namespace halocline {

// Scalars are attributes of this group, blocks datasets (rows, width) in the other.
inline constexpr const char* scalar_group = "/scalars";
inline constexpr const char* block_group = "/blocks";

// Writes to `file`. Scalars must be the same on every rank.
class SavingArchive : public StateArchive, public ArchivePieces {
 public:
  // `values`: if any, where values go in place of `file` itself.
  SavingArchive(const Communicator& comm, OutputFile& file, ValueFiles* values = nullptr)
      : comm_(comm), file_(file), values_(values) {}
  bool restoring() const override { return false; }
  void scalar(const char* name, double& value) override;
  void scalar(const char* name, Index& value) override;
  void block(const char* name, Index total, Index width, Range<1> global, View<double, 1> values,
             const Executor& executor) override;
  void block(const char* name, Index total, Index width, Range<1> global, View<Index, 1> values,
             const Executor& executor) override;
  void piece(const char* name, Index total, Index width, const Range<2>& global, View<double, 1> values,
             const Executor& executor) override;
  // Writes what is left. Collective.
  void finish();
  // Where the values of all blocks lie in the file, with their checksums. On rank 0, after finish().
  const std::vector<SealedRange>& ranges() const { return ranges_; }

 private:
  template <class T>
  void add(std::vector<Part<T>>& parts, const char* name, Index total, Index width, const Range<2>& global,
           View<T, 1> values, const Executor& executor);
  template <class T>
  void write(std::vector<Part<T>>& parts, h5::Type type);
  void write_here(const h5::Extent& shape, h5::Type type, std::span<const h5::Source> boxes, Index sum);
  void write_beside(const h5::Extent& shape, h5::Type type, std::span<const h5::Source> boxes);
  void write_pending();

  const Communicator& comm_;
  OutputFile& file_;
  ValueFiles* values_;
  std::string name_;  // of the block under way
  Index total_ = 0, width_ = 0;
  std::vector<Part<double>> reals_;
  std::vector<Part<Index>> integers_;
  std::map<std::string, double> real_scalars_;
  std::map<std::string, Index> integer_scalars_;
  std::vector<SealedRange> ranges_;
};

// Reads from a file whose checksums were found right; every rank reads its own rows.
class RestoringArchive : public StateArchive, public ArchivePieces {
 public:
  explicit RestoringArchive(const std::string& path) : path_(path), file_(path, h5::File::Mode::read) {}
  bool restoring() const override { return true; }
  void scalar(const char* name, double& value) override;
  void scalar(const char* name, Index& value) override;
  void block(const char* name, Index total, Index width, Range<1> global, View<double, 1> values,
             const Executor& executor) override;
  void block(const char* name, Index total, Index width, Range<1> global, View<Index, 1> values,
             const Executor& executor) override;
  void piece(const char* name, Index total, Index width, const Range<2>& global, View<double, 1> values,
             const Executor& executor) override;

 private:
  void need_scalar(const char* name) const;
  template <class T>
  void read(const char* name, h5::Type type, Index total, Index width, const Range<2>& global, View<T, 1> values,
            const Executor& executor) const;
  void read_beside(const std::vector<h5::Stretch>& stretches, std::size_t first, std::span<std::byte> bytes) const;

  std::string path_;
  h5::File file_;
};

}  // namespace halocline
