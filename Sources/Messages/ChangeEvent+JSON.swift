package import Controller
import Flare
import JSON
import Text

extension ChangeEvent {
    /// The body of `B/event/<topic>`; members of `details` never replace the contract's own.
    /// - Parameter epoch: That of the state in which `sequence` counts.
    package func bytes(epoch: String) -> [UInt8] {
        var buffer = JSONBuffer()
        if details.isEmpty {
            buffer.writeObject { write(epoch: epoch, to: &$0) }
        } else {
            // They stand between the other members.
            let members = JSONObject { write(epoch: epoch, to: &$0) }
            buffer.write(details.merging(members) { _, own in own })
        }
        return buffer.bytes
    }

    private func write(epoch: String, to members: inout some JSONMembers & ~Copyable) {
        members.add("after", after)
        members.add("before", before)
        members.add("cause") {
            $0.add("source", cause.source)
            $0.add("tx", cause.tx)
        }
        members.add("changed", changed)
        members.add("epoch", epoch)
        members.add("event_type", type)
        if let id { members.add("id", id) }
        members.add("name", name.map { QuotedValue.clipped($0, to: 200) })
        members.add("seq", sequence)
        members.add("slug", slug)
        members.add("ts", at)
    }
}
