import Cryptography
package import Resolution
import Threading

/// Announces the address of this station to a resolver, and checks that the resolver knows it.
package actor Announcer {
    /// The address to announce.
    package enum Address: Sendable, Hashable {
        /// Our IPv4 address on the way to the resolver.
        case automatic
        /// None: the resolver takes the one that we come from.
        case peer
        case fixed(StationAddress)
    }

    /// The result of an attempt.
    package struct Report: Sendable, Hashable {
        /// As the resolver tells it; `nil` before it has.
        package var address: StationAddress?
        package var isSuccess: Bool
        /// What was wrong, as a sentence.
        package var error: String?
        /// Whether nothing has succeeded for three periods.
        package var isFailing: Bool
    }

    package struct Settings: Sendable {
        package let serial: StationSerial
        package let resolver: DirectoryClient
        package let periodSeconds: Double
        package let address: Address
        /// 32 bytes; `nil` does not sign.
        package let key: [UInt8]?

        package init(
            serial: StationSerial,
            resolver: DirectoryClient,
            periodSeconds: Double,
            address: Address,
            key: [UInt8]?
        ) {
            (self.serial, self.resolver, self.periodSeconds) = (serial, resolver, periodSeconds)
            (self.address, self.key) = (address, key)
        }

        /// What is announced; `nil` if the resolver takes the address that we come from.
        fileprivate func claimed(own: StationAddress?) -> StationAddress? {
            switch address {
            case .automatic: own
            case .peer: nil
            case .fixed(let address): address
            }
        }
    }

    private let settings: Settings
    private let clocks: ResolverServer.Clocks
    private let report: @Sendable (Report) async -> Void
    private var schedule: AnnouncerSchedule
    private var known: StationAddress?
    /// Our address on the way to the resolver, at the last announcement.
    private var own: StationAddress?
    private var waiter: Task<Void, Never>?

    /// - Parameter report: Called after each attempt.
    package init(
        _ settings: Settings,
        clocks: ResolverServer.Clocks,
        report: @escaping @Sendable (Report) async -> Void
    ) {
        (self.settings, self.clocks, self.report) = (settings, clocks, report)
        let period = Int64(min(max(settings.periodSeconds, 1), 86_400) * 1000)
        schedule = AnnouncerSchedule(period: period, now: clocks.steady())
    }

    /// Announces until the task is cancelled.
    /// - Parameter changes: An element when the system has another address.
    package func run(changes: AsyncStream<Void>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in changes { await self.addressChanged() }
            }
            while !Task.isCancelled {
                var task = schedule.tick(now: clocks.steady())
                while let current = task { task = await perform(current) }
                await waitForDeadline()
            }
            group.cancelAll()
        }
    }

    private func addressChanged() {
        schedule.addressChanged(now: clocks.steady())
        waiter?.cancel()
    }

    private func waitForDeadline() async {
        let delay = (schedule.deadline ?? clocks.steady()) - clocks.steady()
        guard delay > 0 else { return }
        // A task of its own, so that another address can end the wait.
        let waiter = Task { _ = try? await Task.sleep(for: .milliseconds(delay)) }
        self.waiter = waiter
        await withTaskCancellationHandler {
            await waiter.value
        } onCancel: {
            waiter.cancel()
        }
    }

    /// - Returns: What follows at once.
    private func perform(_ task: AnnouncerSchedule.Task) async -> AnnouncerSchedule.Task? {
        let error: String?
        switch task {
        case .announce:
            let way = Locked<StationAddress?>(nil)
            let result = await settings.resolver.deliver { [settings, clocks] own in
                way.withLock { $0 = own }
                return Self.message(settings, own: own, time: clocks.wall())
            }
            own = way.withLock { $0 }
            error =
                switch result {
                case .delivered: nil
                case .notTaken: "\(place) did not take the address"
                case .unreachable(let reason): "\(place) cannot be reached: \(reason)"
                }
        case .check:
            switch await settings.resolver.ask(settings.serial) {
            case .found(let address):
                known = address
                error = refusal(address)
            case .unknown: error = "\(place) does not know \(settings.serial) after the announcement"
            case .noAnswer: error = "\(place) did not answer"
            case .unreachable(let reason): error = "\(place) cannot be reached: \(reason)"
            case .badAnswer: error = "\(place) gave no answer that can be read"
            }
        }
        guard !Task.isCancelled else { return nil }
        let now = clocks.steady()
        let next = schedule.ended(task, isSuccess: error == nil, now: now, chance: .random(in: 0...1))
        if next == nil {
            await report(
                Report(
                    address: known,
                    isSuccess: error == nil,
                    error: error,
                    isFailing: schedule.isFailing(at: now)
                )
            )
        }
        return next
    }

    private var place: String { "\(settings.resolver.host):\(settings.resolver.port)" }

    /// Why the address that the resolver has is not the one of our announcement; `nil` if it may be.
    ///
    /// The protocol does not acknowledge updates, so only the address shows that one was refused.
    private func refusal(_ found: StationAddress) -> String? {
        let claimed = settings.claimed(own: own)
        if found == claimed || found == own { return nil }
        // A router may have translated our private address.
        if own?.isPrivate ?? true, claimed.map({ $0.isPrivate && !found.isPrivate }) ?? true { return nil }
        return
            "\(place) has the address \(found), not \(claimed ?? own ?? found): it refuses the updates of this station (its "
            + "update_from and keys_file), or another station uses the serial \(settings.serial)"
    }

    private static func message(_ settings: Settings, own: StationAddress?, time: Int) -> [UInt8] {
        let address = settings.claimed(own: own)
        let signature = settings.key.map { key -> (time: Int, hexadecimal: String) in
            let text = UpdateSignatures.message(
                settings.serial,
                sentAddress: address?.description,
                time: time
            )
            return (time, MessageCode(of: text, key: key).value.hexadecimal)
        }
        return DirectoryMessage.update(settings.serial, address: address, signature: signature)
    }
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
