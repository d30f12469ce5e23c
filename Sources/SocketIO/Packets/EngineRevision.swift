/// The revision of the Engine.IO protocol that a peer uses: the `EIO` of its query.
///
/// Revision 3 belongs to Socket.IO 1 and 2, revision 4 to Socket.IO 3 and 4. A Flare client without `EIO`
/// uses revision 3.
/// - Source: contrib/contract/flare-protocol.md, "3.1 Handshake"; Engine.IO protocol, revisions 3 and 4.
package enum EngineRevision: Int, Sendable, Hashable, CaseIterable {
    case three = 3
    case four = 4
}
