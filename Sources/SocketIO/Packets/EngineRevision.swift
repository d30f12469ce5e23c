/// Which revision of the Engine.IO protocol a peer speaks: the `EIO` of its query.
///
/// Three goes with Socket.IO 1 and 2, four with Socket.IO 3 and 4. A Flare client that names none speaks three.
/// - Source: flare-protocol 3.1; Engine.IO protocol, revisions 3 and 4.
package enum EngineRevision: Int, Sendable, Hashable, CaseIterable {
    case three = 3
    case four = 4
}
