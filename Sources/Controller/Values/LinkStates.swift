/// What the events of links follow from; the first state of a link is no event.
struct LinkStates: Sendable {
    /// Whether the link to the Flare server has been up in this run.
    var wasServerUp = false
    /// The links apart from those to the broker and the Flare server, by name: whether each is up.
    var others: [String: Bool] = [:]
    /// Whether the start event was published, which happens at the first broker connection.
    var isStartPublished = false
}
