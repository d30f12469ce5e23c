package import Controller
package import Positioning
package import Receivers
import Threading

/// What is heard and is no device, for who looks for one.
///
/// Whoever hears packets asks ``isRecording`` first: while nobody looks, nothing is kept and nothing is prepared.
/// May be used from any thread.
package final class HeardNow: Sendable {
    private let heard = Locked(HeardTransmitters())
    private let onBegin = Locked<(@Sendable () -> Void)?>(nil)
    private let clock: @Sendable () -> Instant
    private let openings: AsyncStream<Void>
    private let opened: AsyncStream<Void>.Continuation

    package init(clock: @escaping @Sendable () -> Instant) {
        self.clock = clock
        (openings, opened) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// What is done when somebody begins to look; replaces the former.
    package func onBegin(_ begin: @escaping @Sendable () -> Void) { onBegin.withLock { $0 = begin } }

    private static func seconds(_ now: Instant) -> Double { Double(now.steadyMilliseconds) / 1000 }

    package var isRecording: Bool {
        let now = Self.seconds(clock())
        return heard.withLock { $0.isRecording(at: now) }
    }

    /// Records a packet of a sender that is no device.
    ///
    /// - Parameters:
    ///   - address: The sender's, if it is known whether it stays.
    ///   - bits: The sender's address if that is not known, 48 bits.
    ///   - rssi: dBm.
    ///   - receiver: Its name; that of this machine's node for its own adapter.
    package func record(
        _ id: HeardID,
        name: String? = nil,
        address: DeviceAddress? = nil,
        bits: UInt64? = nil,
        rssi: Double,
        by receiver: String
    ) {
        let now = Self.seconds(clock())
        heard.withLock {
            $0.record(id, name: name, address: address, bits: bits, rssi: rssi, by: receiver, at: now)
        }
    }

    /// Somebody looks: packets are recorded from now on, for ten minutes.
    ///
    /// - Returns: Whether they were not before.
    @discardableResult
    func open() -> Bool {
        let now = Self.seconds(clock())
        let isNew = heard.withLock { heard in
            defer { heard.open(at: now) }
            return !heard.isRecording(at: now)
        }
        opened.yield()
        if isNew { onBegin.withLock { $0 }?() }
        return isNew
    }

    /// The list, and the time that its times are to be compared with.
    func entries() -> (entries: [HeardTransmitters.Entry], now: Instant) {
        let now = clock()
        return (heard.withLock { $0.list(at: Self.seconds(now)) }, now)
    }

    /// Forgets everything when nobody looks any more; nothing wakes up before.
    func run() async {
        for await _ in openings {
            while isRecording {
                guard (try? await Task.sleep(for: .seconds(60))) != nil else { return }
            }
            let now = Self.seconds(clock())
            heard.withLock { $0.expire(at: now) }
        }
    }
}
