package import Bindings
import Foundation
package import GRDB
import JSON
package import People
package import Threading

/// The samples of things in `history.db`, on a thread of its own: recording never waits.
///
/// Samples are written together, a quarter of a second after a rest and within a minute while they go on; sums of groups
/// are made as they come. Later they are packed, and removed when they are too old or too many. Commits survive a crash of the
/// process.
/// - Source: contrib/contract/bindings.md, "History".
package actor HistoryStore {
    /// Samples that are stored as one transaction.
    private static let batch = 5000
    /// Bytes of samples that wait for others.
    private static let batchBytes = 4 << 20
    /// How often it checks whether something is due.
    private static let upkeep = Duration.seconds(60)
    /// Milliseconds after which it checks the limits again, unless samples were packed.
    private static let trimming: Int64 = 60_000
    /// What comes between the name of the file and the time in the name of a damaged one.
    private static let damagedMark = ".damaged-"

    private let executor: LoopExecutor
    nonisolated let waiting: Locked<WaitingSamples>
    let path: String
    private var limits: HistoryLimits
    private let retry: Duration
    /// Milliseconds since 1970, UTC.
    private let clock: @Sendable () -> Int64
    private let report: @Sendable (HistoryEvent) -> Void
    /// `nil` until it can be opened.
    private(set) var file: HistoryFile?
    private var failures = 0
    /// Whether a failure was reported, and not yet that it is over.
    private(set) var hasFailed = false
    private var isRetrying = false
    private var isClosed = false
    private var removal: HistoryFile.Removal?
    private var isPackingSums = false
    /// When the limits were checked last; milliseconds since 1970.
    private var trimmed: Int64?
    /// Queries that are worked on.
    var line = QueryLine()

    nonisolated package var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens or makes the file in the background.
    ///
    /// - Parameters:
    ///   - path: Where the file is, which only this store may use.
    ///   - pace: How often samples are stored.
    ///   - retry: How long after a failure it is tried again.
    ///   - report: Called on the store's thread.
    /// - Throws: The system's error if it allows no further thread.
    package init(
        _ path: String,
        _ limits: HistoryLimits = HistoryLimits(),
        pace: StoringPace = StoringPace(),
        retry: Duration = .seconds(30),
        clock: @escaping @Sendable () -> Int64,
        report: @escaping @Sendable (HistoryEvent) -> Void
    ) throws {
        executor = try LoopExecutor()
        waiting = Locked(WaitingSamples(pace))
        (self.path, self.limits, self.retry) = (path, limits, retry)
        (self.clock, self.report) = (clock, report)
        perform { $0.keepUp() }
    }

    /// Does work on the store's thread, unless the store is gone by then.
    nonisolated func perform(
        after delay: Duration? = nil,
        _ work: @escaping @Sendable (isolated HistoryStore) -> Void
    ) {
        let body: @Sendable () -> Void = { [weak self] in self?.onExecutor(work) }
        if let delay { executor.perform(after: delay, body) } else { executor.perform(body) }
    }

    // MARK: Samples

    /// Stores samples soon.
    ///
    /// - Parameter stored: Called on the store's thread: with `true` when they are stored, so that a crash cannot lose them;
    ///   with `false` when they were dropped, the store was closed, or the thing was removed.
    nonisolated package func record(
        _ samples: [Sample],
        of thing: BindingID,
        _ interval: GroupInterval,
        stored: (@Sendable (Bool) -> Void)? = nil
    ) {
        let new = samples.map {
            HistoryFile.NewSample(
                thing: thing,
                interval: interval,
                at: HistoryTime.clamped($0.at),
                state: $0.state
            )
        }
        let size = new.reduce(0) { $0 + $1.state.estimatedBytes }
        let (isTaken, isFull, delay) = waiting.withLock { waiting -> (Bool, Bool, Duration?) in
            let wasFull = waiting.isFull(Self.batch, bytes: Self.batchBytes)
            guard waiting.add(new, size, of: thing) == .added else { return (false, false, nil) }
            if let stored { waiting.add(stored) }
            let isFull = !wasFull && waiting.isFull(Self.batch, bytes: Self.batchBytes)
            defer { waiting.isScheduled = true }
            return (true, isFull, waiting.isScheduled ? nil : waiting.pace.delay(at: .now))
        }
        if !isTaken { stored?(false) }
        if isFull {
            perform { $0.storeWaiting() }
        } else if let delay {
            perform(after: delay) { $0.storeWaiting() }
        }
    }

    /// Samples that were dropped because too many waited.
    nonisolated package var droppedSamples: Int { waiting.withLock { $0.dropped } }

    /// Stores what waits.
    package func flush() { hasFailed ? tryAgain() : storeWaiting() }

    func storeWaiting() {
        guard !isClosed else { return answerAll() }
        var work = waiting.withLock { $0.take() }
        guard !work.samples.isEmpty else {
            for reply in work.replies { reply(true) }
            return
        }
        let isStored = attempt { file in
            let now = clock()
            while !work.samples.isEmpty {
                let batch = Array(work.samples.prefix(Self.batch))
                try file.store(batch, at: now)
                work.samples.removeFirst(batch.count)
            }
        }
        if isStored {
            waiting.withLock { $0.pace.wrote(at: .now) }
            for reply in work.replies { reply(true) }
            return hasFailed ? () : tidy()
        }
        let failed = work
        waiting.withLock { $0.putBack(failed) }
    }

    private func answerAll() {
        let replies = waiting.withLock { $0.take().replies }
        for reply in replies { reply(false) }
    }

    /// Does work with the connection of the file, of which a copy can be made with it.
    ///
    /// - Throws: ``HistoryError``, also while the file cannot be opened.
    package func perform(_ work: @Sendable (Database) throws -> Bool) throws(HistoryError) -> Bool {
        guard let file = openFile() else { throw HistoryError.closed(path: path) }
        var result = false
        try file.perform { result = try work($0) }
        return result
    }

    // MARK: Things and limits

    /// Removes the history of a thing that is gone.
    ///
    /// Samples of it that are recorded from now on are not stored, so that those on their way do not begin its history again.
    package func remove(_ thing: BindingID) throws(HistoryError) {
        waiting.withLock { $0.remove(thing) }
        storeWaiting()
        guard let file = openFile() else { throw HistoryError.closed(path: path) }
        do throws(HistoryError) {
            try file.remove(thing)
        } catch {
            fail(error)
            throw error
        }
        sweep()
    }

    /// Follows other limits from now on.
    package func use(_ limits: HistoryLimits) {
        self.limits = limits
        trim()
    }

    /// Stores what waits, and closes the file.
    package func close() {
        storeWaiting()
        attempt { try $0.storeSums() }
        isClosed = true
        file?.close()
        file = nil
        answerAll()
    }

    // MARK: Upkeep

    private func keepUp() {
        guard !isClosed else { return }
        _ = openFile()
        tidy()
        sweep()
        if file != nil, !isPackingSums { packSums() }
        perform(after: Self.upkeep) { $0.keepUp() }
    }

    /// Packs and removes what is due.
    private func tidy() {
        guard file != nil else { return }
        let now = clock()
        attempt { file in
            if file.isPackingDue(at: now) {
                try file.pack(at: now)
                trimmed = nil
            } else if file.areSumsDue(at: now) {
                try file.storeSums()
            }
        }
        if trimmed.map({ abs(now - $0) >= Self.trimming }) ?? true { trim() }
    }

    private func trim() {
        let now = clock()
        var isMore = false
        let isDone = attempt { isMore = try $0.trim(limits, at: now) }
        guard isDone else { return }
        trimmed = now
        // Others may come between.
        if isMore { perform { $0.trim() } }
    }

    /// Packs the sums that are due, some at a time.
    private func packSums() {
        var isMore = false
        let isDone = attempt { isMore = try $0.packSums(at: clock()) }
        isPackingSums = isDone && isMore
        // Others may come between.
        if isPackingSums { perform { $0.packSums() } }
    }

    /// Packs all samples now, removes what is beyond the limits, and packs sums that are due.
    func packNow() {
        storeWaiting()
        attempt { try $0.pack(at: clock()) }
        trim()
        if !isPackingSums { packSums() }
    }

    /// Removes rows of things that are gone, some at a time.
    private func sweep() {
        guard removal == nil, let number = file?.removed.first else { return }
        removal = HistoryFile.Removal(of: number)
        sweepNext()
    }

    private func sweepNext() {
        guard let next = removal, file != nil else { return removal = nil }
        let isDone = attempt { file in
            removal = try file.removeRows(next)
            if removal == nil { file.removed.removeFirst() }
        }
        guard isDone else { return removal = nil }
        perform { store in
            if store.removal == nil { store.sweep() } else { store.sweepNext() }
        }
    }

    // MARK: Failures

    /// Does work on the file, and tries again later if it fails.
    ///
    /// - Returns: Whether it was done.
    @discardableResult
    private func attempt(_ work: (HistoryFile) throws -> Void) -> Bool {
        guard let file = openFile() else { return false }
        do {
            try work(file)
            return true
        } catch {
            fail(HistoryError(error, path))
            return false
        }
    }

    func openFile() -> HistoryFile? {
        if let file { return file }
        guard !isClosed else { return nil }
        do throws(HistoryError) {
            file = try HistoryFile(path, at: clock())
        } catch {
            guard error.isDamage, moveAside(error) else {
                fail(error)
                return nil
            }
            do throws(HistoryError) { file = try HistoryFile(path, at: clock()) } catch { fail(error) }
        }
        return file
    }

    func fail(_ error: HistoryError) {
        if error.isDamage, file != nil {
            file?.close()
            file = nil
            removal = nil
            if moveAside(error) { return perform { $0.storeWaiting() } }
        }
        failures += 1
        if !hasFailed { report(.failed(error)) }
        hasFailed = true
        guard !isRetrying else { return }
        isRetrying = true
        perform(after: retry) { store in
            store.isRetrying = false
            store.tryAgain()
        }
    }

    private func tryAgain() {
        let before = failures
        // Without samples nothing else would open it.
        guard !isClosed, openFile() != nil else { return }
        storeWaiting()
        if failures == before { tidy() }
        if failures == before { sweep() }
        guard failures == before, hasFailed else { return }
        hasFailed = false
        let dropped = waiting.withLock { $0.takeUnreported() }
        report(.recovered(dropped: dropped))
    }

    /// Renames a damaged file, so that another one can be begun; of several the last one is kept.
    private func moveAside(_ error: HistoryError) -> Bool {
        let damaged = "\(path)\(Self.damagedMark)\(clock() / 1000)"
        guard rename(path, damaged) == 0 else { return false }
        for suffix in ["-wal", "-shm"] where rename(path + suffix, damaged + suffix) != 0 {
            // It had none; one of the same name is an older file's.
            unlink(damaged + suffix)
        }
        removeDamaged(but: URL(filePath: damaged).lastPathComponent)
        report(.restarted(damaged: damaged, error))
        return true
    }

    /// Removes the damaged files that were moved aside earlier.
    private func removeDamaged(but kept: String) {
        let file = URL(filePath: path)
        let folder = file.deletingLastPathComponent()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(file.lastPathComponent + Self.damagedMark)
            && ![kept, "\(kept)-wal", "\(kept)-shm"].contains(name)
        {
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }
}
