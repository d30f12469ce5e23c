import Flare
import JSON
import Things

/// What a thing at the edge reports, and what a client of the Flare server sets of it.
extension DeviceController {
    /// Stores what a thing has reported at the server, once earlier changes are stored; nothing while that is not connected.
    mutating func reported(_ thing: FlareID, _ values: JSONObject) {
        guard state.isLinkUp else { return }
        let own = values.filter { key, value in
            // What identifies a thing, or names its profile, is the place's.
            !value.isNull && !key.contains(".") && DataPath(key) != nil && !DataKey.isFixed(key)
        }
        guard !own.isEmpty else { return }
        let job = Job(work: .report(own), command: nil, cause: ChangeEvent.Cause("link"))
        enqueue(job, on: ObjectReference(.thing, thing))
    }

    /// What is new in a report, with `readonly` where the thing reports more than what may be set.
    func news(of values: JSONObject, on object: ObjectReference) -> JSONObject {
        // Of a thing in another environment nothing is known here.
        guard let thing = state.things[object.id] else { return values }
        var news = values.filter {
            !DataKey.isFixed($0.key, in: thing.data) && thing.data[$0.key] != $0.value
        }
        guard state.kind(of: thing) == nil else { return news }
        let settable = state.routes[object.id]?.settable ?? EdgeRoute.settable
        let known = DataKey.reported(in: thing.data)
        let more = values.keys.filter {
            !settable.contains($0) && !known.contains($0) && !DataKey.isFixed($0, in: thing.data)
        }
        if !more.isEmpty {
            let listed = thing.data["readonly"]?.array ?? []
            news["readonly"] = .array(listed + more.sorted().map { .string($0) })
        }
        return news
    }

    /// The values that a client of the Flare server has stored in a thing's data are an order for the thing, too.
    ///
    /// If that fails, the thing's next report corrects the data.
    /// - Parameter old: The data before.
    mutating func follow(
        _ values: JSONObject,
        on object: ObjectReference,
        old: JSONObject,
        sender: JSONValue?
    ) {
        guard state.routes.index(forKey: object.id) != nil, object.kind == .thing,
            state.device.map({ sender?.string != "\($0.id)" }) ?? true
        else { return }
        let reported = DataKey.reported(in: old)
        let wanted = values.filter { key, value in
            !value.isNull && !key.contains(".") && !DataKey.isFixed(key, in: old) && !reported.contains(key)
                && old[key] != value
        }
        guard !wanted.isEmpty else { return }
        let work = Job.Work.write(ThingPatch(values: wanted), transition: nil)
        enqueueAtEdge(Job(work: work, command: nil, cause: ChangeEvent.Cause("server")), on: object)
    }

    /// What a thing has reported is stored.
    mutating func stored(report values: JSONObject, of object: ObjectReference) {
        edge.reported(values, data: state.data(of: object) ?? [:], of: object.id)
        showGoal(of: object.id)
    }
}
