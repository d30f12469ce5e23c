import Positioning

/// A conversation with a gpsd, as a value: what it sends goes in, what follows comes out.
package struct GPSDSession: Sendable {
    package enum Outcome: Sendable, Hashable {
        case reading(SensorReading)
        /// Something that the condition tells has changed.
        case changed
        /// Bytes that are to be sent.
        case send(String)
        /// The link is of no use any more.
        case failed(String)
    }

    package static let watch = #"?WATCH={"enable":true,"json":true};"# + "\n"
    package static let unwatch = #"?WATCH={"enable":false};"# + "\n"
    private static let ask = "?VERSION;\n"

    /// The longest line that a gpsd sends.
    private static let longestLine = 10_240
    /// It greets at once; who is silent for so many seconds is no gpsd.
    private static let greeting = 10.0
    /// It says nothing while it has no receiver; after so many seconds it is asked whether it is there.
    private static let silence = 60.0
    private static let answer = 20.0
    /// So many lines in a row that make no sense, and it is no gpsd.
    private static let mostNonsense = 50

    /// What it calls itself; `nil` before the greeting.
    package private(set) var release: String?
    package private(set) var receivers: Int?
    package private(set) var mode: Int?
    package private(set) var satellites: (used: Int, seen: Int)?
    /// What makes the conversation doubtful.
    package private(set) var doubt: String?
    /// Lines that made no sense.
    package private(set) var nonsense = 0

    private let wantsTrueNorth: Bool
    private var line: [UInt8] = []
    private var isOverlong = false
    private var nonsenseInRow = 0
    /// Our own: the `magtrack` of gpsd 3.22 errs by twice its `magvar`, whose sign differs from receiver to receiver.
    private var declination = Declination(.automatic)
    private var heardAt: Double
    private var askedAt: Double?

    /// - Parameters:
    ///   - wantsTrueNorth: Which heading to take when there are both.
    ///   - time: When the link came up, on the steady clock of the readings.
    package init(wantsTrueNorth: Bool, at time: Double) {
        self.wantsTrueNorth = wantsTrueNorth
        heardAt = time
    }

    /// When ``wake(at:)`` is due.
    package var deadline: Double {
        if release == nil { return heardAt + Self.greeting }
        return askedAt.map { $0 + Self.answer } ?? heardAt + Self.silence
    }

    package mutating func wake(at time: Double) -> [Outcome] {
        guard time >= deadline else { return [] }
        if release == nil { return [.failed("it says nothing that a gpsd would say")] }
        if askedAt != nil { return [.failed("it does not answer any more")] }
        askedAt = time
        return [.send(Self.ask)]
    }

    /// Takes in what came.
    package mutating func hear(_ bytes: some Sequence<UInt8>, at time: Double) -> [Outcome] {
        var outcomes: [Outcome] = []
        for byte in bytes {
            guard byte == 0x0A else {
                if line.count < Self.longestLine { line.append(byte) } else { isOverlong = true }
                continue
            }
            if !line.allSatisfy({ $0 == 0x0D || $0 == 0x20 }) { outcomes += lineEnded(at: time) }
            line.removeAll(keepingCapacity: true)
            isOverlong = false
        }
        return outcomes
    }

    private mutating func lineEnded(at time: Double) -> [Outcome] {
        do throws(ReadingError) {
            if isOverlong { throw ReadingError(text: "is longer than \(Self.longestLine) bytes") }
            let report = try GPSDReport(line: line)
            nonsenseInRow = 0
            if release != nil {
                heardAt = time
                askedAt = nil
            }
            return take(report, at: time)
        } catch {
            nonsense += 1
            nonsenseInRow += 1
            return nonsenseInRow == Self.mostNonsense
                ? [.failed("what it says makes no sense, such as: \(error.text)")] : []
        }
    }

    private mutating func take(_ report: GPSDReport, at time: Double) -> [Outcome] {
        switch report {
        case .version(let release, let major):
            heardAt = time
            askedAt = nil
            let isNew = self.release != release
            self.release = release
            doubt = major == 3 ? nil : "it speaks version \(major) of its protocol; only 3 is known"
            return isNew ? [.changed] : []
        case .fix(let fix):
            var outcomes: [Outcome] = []
            if let place = fix.place {
                // A receiver that has lost count of the weeks is decades off.
                let (first, last) = (Declination.model.epoch, Declination.model.validUntil)
                _ = declination.setLocation(place, year: min(max(fix.year ?? first, first), last))
                outcomes.append(.reading(.location(place, accuracyMetres: fix.errorMetres, time: time)))
            }
            if mode != fix.mode { outcomes.append(.changed) }
            mode = fix.mode
            return outcomes
        case .attitude(let attitude):
            return heading(attitude).map { [.reading(.heading(degrees: $0, north: $1, time: time))] } ?? []
        case .satellites(let used, let seen):
            satellites = (used, seen)
            return []
        case .devices(let count):
            defer { receivers = count }
            return receivers == count ? [] : [.changed]
        case .fault, .other: return []
        }
    }

    /// The heading of the kind that is wanted; else the other, a true one made magnetic where the place is known.
    private func heading(_ attitude: GPSDReport.Attitude) -> (Double, North)? {
        let (geographic, magnetic) = (attitude.heading, attitude.magneticHeading)
        if wantsTrueNorth {
            return geographic.map { ($0, .geographic) } ?? magnetic.map { ($0, .magnetic) }
        }
        if let magnetic { return (magnetic, .magnetic) }
        guard let geographic else { return nil }
        return declination.magnetic(geographic).map { ($0, .magnetic) } ?? (geographic, .geographic)
    }
}
