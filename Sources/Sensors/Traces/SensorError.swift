/// Why a sensor cannot be used, or a recording not be read or written.
package enum SensorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system has no thread or descriptor for it.
    case cannotStart(source: String, reason: String)
    /// The system refused; `code` is its errno.
    case cannotRead(file: String, code: Int32, reason: String)
    case cannotWrite(file: String, code: Int32, reason: String)
    /// The file is none that can be played, or of a version or kind that is not known.
    case unsupported(file: String, problem: String)
    /// A record (`unit` "record") or line (`unit` "line") that makes no sense.
    case damaged(file: String, unit: String, number: Int, offset: Int, problem: String)
    /// The trace has reached its greatest size.
    case full(file: String, limit: Int)

    package var description: String {
        switch self {
        case .cannotStart(let source, let reason): "\(source) cannot be started: \(reason)"
        case .cannotRead(let file, _, let reason): "\(file): cannot be read: \(reason)"
        case .cannotWrite(let file, _, let reason): "\(file): cannot be written: \(reason)"
        case .unsupported(let file, let problem): "\(file): \(problem)"
        case .damaged(let file, let unit, let number, let offset, let problem):
            "\(file): \(unit) \(number) at byte \(offset): \(problem)"
        case .full(let file, let limit): "\(file): the trace has reached its limit of \(limit) bytes"
        }
    }
}
