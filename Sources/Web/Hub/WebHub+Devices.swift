import Controller
import JSON
import Messages
import People
import Text
import Things

/// The further devices of a daemon with several.
extension WebHub {
    /// All devices that somebody may see, each with its position; an empty list in a daemon with one.
    func devices(for requester: Requester) -> [UInt8] {
        (node.state().saysWhoIsInZones ? view(for: requester).state.placedDevicesJSON : []).bytes
    }

    /// The content of `state` of a device's node.
    func state(of node: String, for requester: Requester) -> Result<[UInt8], Refusal> {
        let (state, reader) = view(for: requester)
        if node == state.node { return .success(state.feed(for: reader).bytes) }
        // What is hidden of this daemon's own device is not hidden of one that they may see.
        guard let own = state.standing(for: node) else { return .failure(unknown(node)) }
        let feed = own.feedJSON()
        guard !reader.seesAll, var members = feed.object else { return .success(feed.bytes) }
        // It counts what happens to what is hidden, too.
        members["seq"] = nil
        return .success(JSONValue.object(members).bytes)
    }

    /// Why a command cannot be for a device's node; `nil` if it can, also if this is the daemon's own.
    ///
    /// Who may not see a device is told what they would be told if there were none.
    ///
    /// - Parameter caller: Whom the command speaks for, which its own token may say.
    func refusal(ofNode node: String, for caller: Caller?) -> Refusal? {
        guard caller != nil else { return .unauthenticated }
        let state = self.node.state()
        let isKnown = node == state.node || state.nodes[node] != nil && reader(for: caller).sees(node: node)
        return isKnown ? nil : unknown(node)
    }

    private func unknown(_ node: String) -> Refusal {
        Refusal(.unknownThing, "there is no device \(QuotedValue.of(node)) here")
    }
}
