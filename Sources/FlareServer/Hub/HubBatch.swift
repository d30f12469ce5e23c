/// Changes that are stored with one commit, and the deliveries after it.
struct HubBatch {
    private(set) var writes: [FlareStore.Write] = []
    /// Updates by readings alone, which may be stored later.
    private(set) var passing: [FlareStore.Row: FlareStore.Write] = [:]
    var undo: [Transaction.Change] = []
    var deliveries: [(sink: Int, delivery: @Sendable (any NoticeSink) -> Void)] = []
    private var places: [FlareStore.Row: Int] = [:]

    /// Adds writes; of several updates of a row, only the last is written.
    mutating func add(_ added: [FlareStore.Write], arePassing: Bool) {
        for write in added {
            guard !arePassing else {
                passing[write.row] = write
                continue
            }
            passing[write.row] = nil
            if let place = places[write.row], case .update = write {
                writes[place] = writes[place].overwritten(by: write)
            } else {
                places[write.row] = writes.count
                writes.append(write)
            }
        }
    }
}
