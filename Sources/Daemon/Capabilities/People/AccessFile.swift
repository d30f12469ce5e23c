package import Accounts
import Controller
import Flare
import Foundation
package import Messages
import OperatingSystem
import People
import Threading

/// Keeps a file with what users, and things at the edge, may do on the broker: `people.acl_file`.
///
/// It is written when a right begins or ends, and when users, things, their short names or their bindings change; never with half of
/// its text. A unit of contrib/mosquitto passes it on to the broker, and confirms it by a copy of the first line in a file
/// beside it, with `.applied` behind its name. Where there is such a file, a list that is not confirmed is written again,
/// and reported. Each list that the broker uses by now is passed on, for what waits to be published until then.
/// - Source: contrib/contract/people.md, "On the broker".
package actor AccessFile {
    /// What the loop knows of the place.
    package struct View: Sendable {
        package var place: AccessPlace
        /// Whether the zones and things are known; not yet while they are being read.
        package var isKnown: Bool
        /// Counts what has moved; see ``AccessListGate/number``.
        package var number: Int

        package init(place: AccessPlace, isKnown: Bool, number: Int = 0) {
            (self.place, self.isKnown, self.number) = (place, isKnown, number)
        }
    }

    /// How `run` asks the loop, and tells it which list the broker uses.
    package struct Ports: Sendable {
        let view: @Sendable () async -> View
        let applied: @Sendable (_ number: Int) async -> Void

        package init(
            view: @escaping @Sendable () async -> View,
            applied: @escaping @Sendable (_ number: Int) async -> Void = { _ in }
        ) {
            (self.view, self.applied) = (view, applied)
        }
    }

    /// Changes within this time are written together.
    private static let pause = Duration.milliseconds(200)
    /// How long the place may be unknown before the file goes without it.
    private static let patience = 5000 as Int64
    /// The file is looked at this often at least: somebody may have removed it, or set the clock.
    private static let interval = 60_000 as Int64
    /// How long the broker's side may take to confirm a list.
    private static let confirmation = 10_000 as Int64

    private let path: String
    private let list: AccessList
    private let accounts: AccountsRegistry
    /// Whether things have users of the broker.
    private let includesThings: Bool
    private let report: @Sendable (String?) -> Void
    private nonisolated let wakes: AsyncStream<Void>
    private nonisolated let wakePort: AsyncStream<Void>.Continuation
    private var written: String?
    private var writtenAt: Int64 = 0
    private var unknownSince: Int64?
    /// What was reported last.
    private var problem: String?
    private var progress = AccessListProgress()
    /// Those at the edge as they were read last.
    private var things: [AccessThing] = []
    /// Whether the accounts have changed since then; changes of the place, which are many, do not concern them.
    private nonisolated let areThingsOld = Locked(true)

    /// - Parameters:
    ///   - path: The file.
    ///   - includesThings: Whether things at the edge have sections, too.
    ///   - report: Called with why the broker does not get the list, as a sentence; `nil` when it does again.
    package init(
        _ path: String,
        _ list: AccessList,
        _ accounts: AccountsRegistry,
        includesThings: Bool = false,
        report: @escaping @Sendable (String?) -> Void
    ) {
        (self.path, self.list, self.accounts, self.report) = (path, list, accounts, report)
        self.includesThings = includesThings
        (wakes, wakePort) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Something has changed.
    package nonisolated func wake() { wakePort.yield() }

    /// Whether a change of the state may change the file.
    static func isConcerned(by change: StateChange) -> Bool {
        switch change {
        case .object(let object): object.kind != .device
        case .environment: true
        default: false
        }
    }

    /// Writes until the task is cancelled.
    package func run(_ ports: Ports) async {
        accounts.onChange { [wakePort, areThingsOld] in
            areThingsOld.withLock { $0 = true }
            wakePort.yield()
        }
        wake()
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        for await _ in wakes {
            timer?.cancel()
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
            let delay = await update(ports)
            // It outlives the turn of this loop that sets it, and ends with the next one.
            timer = Task { [wakePort] in
                let end = ContinuousClock.now + .milliseconds(delay)
                while let pause = await pass(on: ports), ContinuousClock.now < end {
                    let next = min(ContinuousClock.now + .milliseconds(pause), end)
                    guard (try? await Task.sleep(until: next)) != nil else { return }
                }
                guard (try? await Task.sleep(until: end)) != nil else { return }
                wakePort.yield()
            }
        }
    }

    /// Tells which list the broker uses.
    ///
    /// - Returns: When to look again, milliseconds; `nil` if it uses the last one.
    private func pass(on ports: Ports) async -> Int64? {
        if let number = progress.look(confirmedHead, at: accounts.clock()) { await ports.applied(number) }
        return progress.isComplete ? nil : AccessListProgress.interval
    }

    /// Writes the file if its text is another one.
    ///
    /// - Returns: When to look again, milliseconds.
    private func update(_ ports: Ports) async -> Int64 {
        let view = await ports.view()
        let now = accounts.clock()
        if view.isKnown {
            unknownSince = nil
        } else {
            let since = unknownSince ?? now
            unknownSince = since
            // The things of the file that is there are still better than none.
            if (0..<Self.patience).contains(now - since) { return Self.patience / 5 }
        }
        let table = accounts.table
        readThings()
        let text = list.peopleText(table, view.place, things: things, at: now)
        progress.made(Self.head(of: text), view.number, at: now)
        let isConfirmed = confirmedHead.map { $0 == Self.head(of: text) } ?? true
        let isLate = text == written && !isConfirmed && now - writtenAt >= Self.confirmation
        if text != written || access(path, F_OK) != 0 || isLate { write(text, at: now) }
        let problem = written == nil ? problem : isLate ? unconfirmed : nil
        if problem != self.problem, isLate || isConfirmed || problem != nil {
            self.problem = problem
            report(problem)
        }
        let next = table.nextChange(after: now).map { max(1, $0 - now) } ?? .max
        return min(next, isConfirmed || written == nil ? Self.interval : Self.confirmation)
    }

    /// Reads the things at the edge again if that is due; what cannot be read stays as it was until the next time.
    private func readThings() {
        guard includesThings,
            areThingsOld.withLock({ isOld in
                defer { isOld = false }
                return isOld
            })
        else { return }
        do throws(AccountsError) {
            things = try accounts.store.brokerThings().map { AccessThing($0.vendor, isGateway: $0.isGateway) }
        } catch {
            areThingsOld.withLock { $0 = true }
        }
    }

    private func write(_ text: String, at now: Int64) {
        writtenAt = now
        do throws(FileWriteError) {
            // The mask of the service may leave less than the broker needs.
            try AtomicFile.write(
                Array(text.utf8),
                to: path,
                permissions: 0o640,
                unfinished: path + ".new"
            )
            written = text
        } catch {
            written = nil
            let problem = "\(path) cannot be written: \(error). The broker does not learn what users may do."
            if problem != self.problem { report(problem) }
            self.problem = problem
        }
    }

    private var unconfirmed: String {
        """
        The broker's side has not confirmed \(path) in \(path).applied, so rights that have ended may still count there. \
        Look at: systemctl status trilateral-acl.path trilateral-acl.service
        """
    }

    /// The first line of the list that the broker's side has confirmed; `nil` if nobody there confirms any.
    private var confirmedHead: String? {
        (try? String(contentsOfFile: path + ".applied", encoding: .utf8)).map(Self.head)
    }

    private static func head(of text: String) -> String { String(text.prefix { !$0.isNewline }) }
}
