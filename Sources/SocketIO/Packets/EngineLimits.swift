/// Limits of what a peer may send at once, and of what may be queued for it.
package struct EngineLimits: Sendable, Hashable {
    /// The longest packet, including its type.
    ///
    /// Revision 4 states it in the handshake as `maxPayload`.
    package var maximumPacketBytes = 1_000_000
    /// The longest polling body that is read; generous because of the double encoding.
    package var maximumBodyBytes = 16_000_000
    /// Most packets in a received polling body: clients send everything that is queued at once.
    package var maximumPacketsOfPayload = 10_000
    /// Most packets in a sent polling body: Python's implementations reject more than 16.
    ///
    /// Several are together no longer than the longest packet.
    package var maximumPacketsOfOwnPayload = 16
    /// How many attachments a binary packet may announce.
    package var maximumAttachments = 100
    /// Most packets and bytes queued for a client that does not poll.
    package var maximumQueuedPackets = 10_000
    package var maximumQueuedBytes = 8_000_000

    package init() {}
}
