/// Why a sensor cannot be used, or a recording cannot be read or written.
package enum SensorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system has no thread or descriptor left.
    case cannotStart(source: String, reason: String)
    /// The system returned an error; `code` is its errno.
    case cannotRead(file: String, code: Int32, reason: String)
    case cannotWrite(file: String, code: Int32, reason: String)
    /// The file has an unsupported format or version.
    case unsupported(file: String, problem: String)
    /// A record (`unit` "record") or line (`unit` "line") is invalid.
    case damaged(file: String, unit: String, number: Int, offset: Int, problem: String)
    /// The trace has reached its size limit.
    case full(file: String, limit: Int)

    package var description: String {
        switch self {
        case .cannotStart(let source, let reason): "cannot start \(source): \(reason)"
        case .cannotRead(let file, _, let reason): "\(file): cannot be read: \(reason)"
        case .cannotWrite(let file, _, let reason): "\(file): cannot be written: \(reason)"
        case .unsupported(let file, let problem): "\(file): \(problem)"
        case .damaged(let file, let unit, let number, let offset, let problem):
            "\(file): \(unit) \(number) at byte \(offset): \(problem)"
        case .full(let file, let limit): "\(file): the trace has reached its limit of \(limit) bytes"
        }
    }
}
