import Glibc
import JSON
import OperatingSystem

/// Writes a trace of all sensor readings.
///
/// A trace consists of lines of JSON: first `{"trilateral_trace":1,"started":…}`, then one reading each, with
/// its time `t` in seconds from the start of the sensors. Readings are restored exactly, so a replay gives
/// the same output as the sensors did.
package struct SensorTraceWriter: ~Copyable {
    static let version = 1
    static let versionKey = "trilateral_trace"

    private let path: String
    private let descriptor: Int32
    private let limit: Int
    private var pending: [UInt8] = []
    private var written = 0
    private var latestFlush: Double

    private static let pendingLimit = 64 * 1024

    /// Creates the file, which must not exist yet.
    ///
    /// - Parameters:
    ///   - started: Start time as RFC 3339, for information only.
    ///   - limit: The largest size of the file, bytes.
    package init(creating path: String, started: String, limit: Int = 1 << 30) throws(SensorError) {
        self.path = path
        self.limit = limit
        latestFlush = -.infinity
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw Self.failure(path, errno) }
        try append(.object([Self.versionKey: JSONValue(Self.version), "started": .string(started)]))
        try flush()
    }

    deinit { close(descriptor) }

    /// Appends a reading.
    ///
    /// Lines are written to the file when a second has passed on the readings' clock.
    ///
    /// - Throws: `.full` when the trace would exceed its limit; earlier readings are in the file.
    package mutating func append(_ reading: SensorReading) throws(SensorError) {
        try append(reading.json)
        if !(reading.time - latestFlush < 1) || pending.count >= Self.pendingLimit {
            latestFlush = reading.time
            try flush()
        }
    }

    /// Writes pending lines, and waits until the disk has them; call it at the end.
    package mutating func finish() throws(SensorError) {
        try flush()
        // A pipe has no disk.
        if fsync(descriptor) != 0, errno != EINVAL, errno != EROFS { throw Self.failure(path, errno) }
    }

    /// Writes pending lines.
    package mutating func flush() throws(SensorError) {
        let code = writeAll(pending, to: descriptor)
        pending = []
        if code != 0 { throw Self.failure(path, code) }
    }

    private mutating func append(_ line: JSONValue) throws(SensorError) {
        let bytes = line.bytes + [0x0A]
        guard written + bytes.count <= limit else {
            try flush()
            throw .full(file: path, limit: limit)
        }
        written += bytes.count
        pending += bytes
    }

    private static func failure(_ path: String, _ code: Int32) -> SensorError {
        .cannotWrite(file: path, code: code, reason: systemMessage(code))
    }
}
