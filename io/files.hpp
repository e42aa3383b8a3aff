// Plain files of one process: whole-file writes, reserved room, replacement by rename. Every failure is a MachineError
// with the file and the system's reason.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace halocline {

// Writes a new file with these bytes; removes it again when that fails. What has the name already, links included, is
// left alone, and refused.
void write_file(const std::string& path, std::span<const std::byte> bytes);
// Writes `path`.tmp, then renames it to `path`: a reader sees the old text or the new one, never a part, also after a
// power failure.
void replace_file(const std::string& path, const std::string& text);
// The same of a text that is made piece by piece, of which little is held in memory.
using Put = std::function<void(std::string_view)>;
void replace_file_by(const std::string& path, const std::function<void(const Put&)>& make);
// As replace_file for a file that must not exist; false, and nothing done, when it does.
bool create_file(const std::string& path, const std::string& text);
// Reads a whole text file, no pipe and no device, which may be without end, or its first `most` bytes and one more.
std::string read_text(const std::string& path, std::size_t most = std::size_t{1} << 40);
// Claims room for `bytes` more at the end of an existing file, so that writing there cannot meet a full disk.
// Fails when the disk or the process's file-size limit does not have it; the file keeps its old size then.
void reserve_room(const std::string& path, std::size_t bytes);
// Writes ranges of a file that is there and has room for them: `work` gets a function that puts bytes at an offset.
// Calls nothing but the system, so it may run in a thread of its own; other processes may write other ranges. `eager`:
// the disk begins with each range at once, where the system would wait until much of its memory is full of them.
using WriteAt = std::function<void(std::size_t offset, std::span<const std::byte> bytes)>;
void write_ranges(const std::string& path, bool eager, const std::function<void(const WriteAt&)>& work);
// Reads ranges of a file: `work` gets a function that fills `bytes` from an offset. What the file does not have fails.
using ReadAt = std::function<void(std::size_t offset, std::span<std::byte> bytes)>;
void read_ranges(const std::string& path, const std::function<void(const ReadAt&)>& work);
// Puts what has been written to a file on the disk (fsync).
void put_on_disk(const std::string& path);
// Renames; `durable` puts the file and its folder on the disk first and last (fsync).
void rename_file(const std::string& from, const std::string& to, bool durable);
// Removes a file if it is there; never fails.
void remove_file(const std::string& path) noexcept;
// Names in a folder that begin with `prefix` and end with `suffix`, sorted; empty when there is no such folder.
std::vector<std::string> list_files(const std::string& directory, const std::string& prefix, const std::string& suffix);

}  // namespace halocline
