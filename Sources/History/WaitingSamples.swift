import Bindings
import JSON
import People
import Threading

/// Samples that wait to be stored, within limits of their number and their bytes.
struct WaitingSamples {
    /// What is to be stored, and who is to be told.
    struct Work {
        var samples: [HistoryFile.NewSample]
        /// Called when the samples so far are stored, or are not.
        var replies: [@Sendable (Bool) -> Void]
    }

    /// The most samples that wait, and their bytes as compact JSON, about; more are dropped and counted.
    static let capacity = 20_000
    static let capacityBytes = 64 << 20

    private(set) var work = Work(samples: [], replies: [])
    private var bytes = 0
    private(set) var dropped = 0
    /// Those that were dropped since it was last reported.
    private var unreported = 0
    var isScheduled = false
    var pace: StoringPace
    private var gone = GoneThings()

    init(_ pace: StoringPace = StoringPace()) { self.pace = pace }

    /// Whether too many samples or bytes wait, so that they should be stored now.
    func isFull(_ most: Int, bytes mostBytes: Int) -> Bool {
        work.samples.count >= most || bytes >= mostBytes
    }

    /// What became of samples.
    enum Addition { case added, dropped, ofGoneThing }

    /// - Parameter samples: All of one thing.
    mutating func add(_ samples: [HistoryFile.NewSample], _ size: Int, of thing: BindingID) -> Addition {
        if gone.contains(thing) { return .ofGoneThing }
        guard work.samples.count + samples.count <= Self.capacity, bytes + size <= Self.capacityBytes else {
            dropped += samples.count
            unreported += samples.count
            return .dropped
        }
        work.samples += samples
        bytes += size
        return .added
    }

    mutating func add(_ reply: @escaping @Sendable (Bool) -> Void) { work.replies.append(reply) }

    /// Whether samples of a thing wait whose times are in a range.
    func has(_ thing: BindingID, in times: ClosedRange<Int64>) -> Bool {
        work.samples.contains { $0.thing == thing && times.contains($0.at) }
    }

    /// Takes all.
    mutating func take() -> Work {
        defer { (work, bytes, isScheduled) = (Work(samples: [], replies: []), 0, false) }
        return work
    }

    /// Puts back what could not be stored: before what came meanwhile, which is little.
    mutating func putBack(_ failed: Work) {
        work.samples = failed.samples.filter { !gone.contains($0.thing) } + work.samples
        work.replies = failed.replies + work.replies
        count()
        isScheduled = true
    }

    /// Drops the samples of a thing that is gone, and takes no more of them.
    mutating func remove(_ thing: BindingID) {
        gone.insert(thing)
        work.samples.removeAll { $0.thing == thing }
        count()
    }

    mutating func takeUnreported() -> Int {
        defer { unreported = 0 }
        return unreported
    }

    private mutating func count() { bytes = work.samples.reduce(0) { $0 + $1.state.estimatedBytes } }
}

/// Things that were removed lately, of which samples may still be on their way.
private struct GoneThings {
    private static let most = 5000
    private var latest: Set<BindingID> = []
    private var older: Set<BindingID> = []

    func contains(_ thing: BindingID) -> Bool { latest.contains(thing) || older.contains(thing) }

    mutating func insert(_ thing: BindingID) {
        if latest.count >= Self.most { (older, latest) = (latest, []) }
        latest.insert(thing)
    }
}

extension JSONObject {
    /// How many bytes it has as compact JSON, about.
    var estimatedBytes: Int { reduce(2) { $0 + $1.key.utf8.count + 4 + $1.value.estimatedBytes } }
}

extension JSONValue {
    fileprivate var estimatedBytes: Int {
        switch self {
        case .null, .bool: 4
        case .number: 8
        case .numeral(let text), .string(let text): text.utf8.count + 2
        case .array(let values): values.reduce(2) { $0 + 1 + $1.estimatedBytes }
        case .object(let object): object.estimatedBytes
        }
    }
}
