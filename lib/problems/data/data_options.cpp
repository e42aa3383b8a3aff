#include "lib/problems/data/data_options.hpp"

namespace halocline {

void DataOptions::describe(Describer& d) {
  d.formulas({"file", "path",
              "A raster, .npy, .csv (a line per y, from low to high) or .h5, [y][x] or [z][y][x]; or a result of an "
              "earlier run: its folder, or one of its files .vtkhdf.",
              true},
             file);
  d.item({"dataset", "", ".h5: path of the values in the file."}, dataset);
  d.item({"field", "", "Earlier run: the name of the field."}, field);
  d.item({"time", "", "Folder of an earlier run: first, last or the time of a result; last if left out."}, time);
  d.item({"extent", "length",
          "By axis where the raster begins and ends, as [[0, 2], [0, 1]]; that of the domain if left out, and known of "
          "an earlier run. From high to low turns the axis around."},
         extent, 2);
  values_given = d.choice({"values", "",
                           "Whether values are those of cells, or of nodes, the first and last of which lie on the "
                           "ends; known of an earlier run."},
                          values);
  d.choice({"interpolation", "",
            "linear: between values, also on to the borders; conservative: means over the cells of the grid; nearest: "
            "the nearest value."},
           interpolation);
}

void DataList::describe(Describer& d, Definitions& defined) {
  if (blocks.empty()) names.clear();
  d.groups({"data", "", "Names that stand for fields in files: formulas use them as they use x and y."}, *this, names);
  defined.data.clear();
  for (const std::string& name : names) defined.data.push_back({name});
}

}  // namespace halocline
