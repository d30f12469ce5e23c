import Positioning

/// The protocol of a gpsd connection as a value: received bytes go in, outcomes come out.
package struct GPSDSession: Sendable {
    package enum Outcome: Sendable, Hashable {
        case reading(SensorReading)
        /// The condition changed.
        case changed
        /// Bytes to send.
        case send(String)
        /// The connection is unusable.
        case failed(String)
    }

    package static let watch = #"?WATCH={"enable":true,"json":true};"# + "\n"
    package static let unwatch = #"?WATCH={"enable":false};"# + "\n"
    private static let versionRequest = "?VERSION;\n"

    /// The longest line that gpsd sends.
    private static let longestLine = 10_240
    /// A gpsd sends its greeting at once; a peer that is silent for this long is none, seconds.
    private static let greeting = 10.0
    /// Without receivers gpsd sends nothing; after this long its version is requested to check the
    /// connection, seconds.
    private static let silence = 60.0
    private static let answer = 20.0
    /// After this many invalid lines in a row the peer is no gpsd.
    private static let mostInvalidLines = 50

    /// The gpsd's release; `nil` before the greeting.
    package private(set) var release: String?
    package private(set) var receivers: Int?
    package private(set) var mode: Int?
    /// A problem that does not prevent operation.
    package private(set) var warning: String?
    /// Number of lines that could not be parsed.
    package private(set) var invalidLines = 0

    private let wantsTrueNorth: Bool
    private var line: [UInt8] = []
    private var isOverlong = false
    private var invalidLinesInRow = 0
    /// Computed here: the `magtrack` of gpsd 3.22 is wrong by twice its `magvar`, whose sign differs between
    /// receivers.
    private var declination = Declination(.automatic)
    private var heardAt: Double
    private var requestedAt: Double?

    /// - Parameters:
    ///   - wantsTrueNorth: Which heading to prefer when both are sent.
    ///   - time: When the connection was established, on the readings' steady clock.
    package init(wantsTrueNorth: Bool, at time: Double) {
        self.wantsTrueNorth = wantsTrueNorth
        heardAt = time
    }

    /// When ``wake(at:)`` is due.
    package var deadline: Double {
        if release == nil { return heardAt + Self.greeting }
        return requestedAt.map { $0 + Self.answer } ?? heardAt + Self.silence
    }

    package mutating func wake(at time: Double) -> [Outcome] {
        guard time >= deadline else { return [] }
        if release == nil { return [.failed("no gpsd greeting received; check the address")] }
        if requestedAt != nil { return [.failed("it does not answer any more")] }
        requestedAt = time
        return [.send(Self.versionRequest)]
    }

    /// Processes received bytes.
    package mutating func receive(_ bytes: some Sequence<UInt8>, at time: Double) -> [Outcome] {
        var outcomes: [Outcome] = []
        for byte in bytes {
            guard byte == 0x0A else {
                if line.count < Self.longestLine { line.append(byte) } else { isOverlong = true }
                continue
            }
            if !line.allSatisfy({ $0 == 0x0D || $0 == 0x20 }) { outcomes += handleLine(at: time) }
            line.removeAll(keepingCapacity: true)
            isOverlong = false
        }
        return outcomes
    }

    private mutating func handleLine(at time: Double) -> [Outcome] {
        do throws(ReadingError) {
            if isOverlong { throw ReadingError("is longer than \(Self.longestLine) bytes") }
            let report = try GPSDReport(line: line)
            invalidLinesInRow = 0
            if release != nil {
                heardAt = time
                requestedAt = nil
            }
            return handle(report, at: time)
        } catch {
            invalidLines += 1
            invalidLinesInRow += 1
            return invalidLinesInRow == Self.mostInvalidLines
                ? [.failed("it does not speak gpsd's protocol: \(error)")] : []
        }
    }

    private mutating func handle(_ report: GPSDReport, at time: Double) -> [Outcome] {
        switch report {
        case .version(let release, let major):
            heardAt = time
            requestedAt = nil
            let isNew = self.release != release
            self.release = release
            warning = major == 3 ? nil : "it uses protocol version \(major); only version 3 is supported"
            return isNew ? [.changed] : []
        case .fix(let fix):
            var outcomes: [Outcome] = []
            if let place = fix.place {
                // A receiver with a GPS week rollover error is decades off.
                let (first, last) = (Declination.model.epoch, Declination.model.validUntil)
                _ = declination.setLocation(place, year: min(max(fix.year ?? first, first), last))
                outcomes.append(.reading(.location(place, accuracyMetres: fix.errorMetres, time: time)))
            }
            if mode != fix.mode { outcomes.append(.changed) }
            mode = fix.mode
            return outcomes
        case .attitude(let attitude):
            return heading(attitude).map { [.reading(.heading(degrees: $0, north: $1, time: time))] } ?? []
        case .devices(let count):
            defer { receivers = count }
            return receivers == count ? [] : [.changed]
        case .fault, .other: return []
        }
    }

    /// The preferred kind of heading, otherwise the other; a true heading is converted to magnetic where the
    /// location is known.
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
