package import Controller
package import JSON
import Text
import Things

extension ChangeEvent {
    /// The body of `B/event/<topic>`; members of `details` never replace the contract's own.
    /// - Parameter epoch: That of the state in which `sequence` counts.
    package func json(epoch: String) -> JSONValue {
        var members = details
        members["event_type"] = .string(type)
        members["epoch"] = .string(epoch)
        members["seq"] = JSONValue(sequence)
        members["ts"] = .string(at.timestamp)
        members["id"] = id.map { .string("\($0)") }
        members["slug"] = slug.map { .string($0) }
        members["name"] = name.map { .string(QuotedValue.clipped($0, to: 200)) }
        members["before"] = before
        members["after"] = after
        members["changed"] = .array(changed.map { .string($0) })
        var source: JSONObject = ["source": .string(cause.source)]
        source["tx"] = cause.tx
        members["cause"] = .object(source)
        return .object(members)
    }
}
