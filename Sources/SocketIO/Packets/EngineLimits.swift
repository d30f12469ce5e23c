/// How much one peer may send at once, and how much may wait for it.
package struct EngineLimits: Sendable, Hashable {
    /// The longest packet as it travels, its leading type included.
    ///
    /// Revision 4 names it in the handshake as `maxPayload`.
    package var maximumPacketBytes = 1_000_000
    /// The longest body of a polling request or answer that is read; generous, for the double encoding.
    package var maximumBodyBytes = 16_000_000
    /// How many packets one polling body may carry that we read: clients send all that waits at once.
    package var maximumPacketsOfPayload = 10_000
    /// How many packets we put into one: Python's implementations drop a body of more than 16.
    package var maximumPacketsOfOwnPayload = 16
    /// How many attachments a binary packet may announce.
    package var maximumAttachments = 100
    /// How many packets may wait for a client that does not poll, and how many bytes of them.
    package var maximumQueuedPackets = 10_000
    package var maximumQueuedBytes = 8_000_000

    package init() {}
}
