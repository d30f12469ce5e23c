extension String {
    /// A table with a tab between its columns, however wide they are.
    var columns: String { replacing(#/ {2,}/#, with: "\t") }
}
