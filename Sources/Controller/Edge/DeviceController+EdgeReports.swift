import Flare
import JSON
import Things

/// What a thing at the edge reports, and what a client of the Flare server sets of it.
extension DeviceController {
    /// Stores what a thing has reported at the server, once that is connected and earlier changes are stored.
    mutating func reported(_ thing: FlareID, _ values: JSONObject) {
        let own = values.reportable
        guard !own.isEmpty else { return }
        guard canStoreReports, edge.unstored(of: thing) == nil else {
            return edge.keep(own, of: thing, isReported: true)
        }
        store(.report(own), of: thing)
    }

    /// Stores what a thing has uploaded just now, and hands it to the slices that follow uploads.
    mutating func uploaded(_ thing: FlareID, _ values: JSONObject, from address: String?) {
        // Nothing is looked up while nobody listens.
        let upload = state.slices.hasUploadFollowers ? upload(values, of: thing, from: address) : nil
        reported(thing, values)
        if let upload { slicesReceive(upload) }
    }

    /// `nil` for a thing that is not in the current environment: its data are not known here.
    private func upload(
        _ values: JSONObject,
        of thing: FlareID,
        from address: String?
    ) -> StateUploaded? {
        guard state.things.index(forKey: thing) != nil else { return nil }
        let before = dataAtEdge(of: ObjectReference(.thing, thing))
        let written = values.reportable.filter { !DataKey.isFixed($0.key, in: before) }
        return StateUploaded(thing: thing, before: before, written: written, address: address)
    }

    private mutating func store(_ work: Job.Work, of thing: FlareID) {
        let job = Job(work: work, command: nil, cause: ChangeEvent.Cause("link"))
        enqueue(job, on: ObjectReference(.thing, thing))
    }

    /// Whether the server is connected, and what is new to it is known.
    private var canStoreReports: Bool { state.isLinkUp && state.isPlaceKnown && !state.isStale }

    /// Stores what was kept, now that the place is read.
    mutating func storeUnstored() {
        guard edge.hasUnstored, canStoreReports else { return }
        for (thing, values) in edge.removeUnstored() {
            if !values.done.isEmpty {
                let done = EdgeDone(number: 0, order: .values(values.done), action: nil)
                store(.done(done), of: thing)
            }
            if !values.reported.isEmpty { store(.report(values.reported), of: thing) }
        }
    }

    /// Keeps what the server was to store and has not, before its queues are emptied.
    mutating func keepUnstored() {
        for object in queues.objects where object.kind == .thing {
            for job in queues[object]?.jobs ?? [] { keep(job, on: object) }
        }
    }

    /// Keeps what a thing has reported or done, until the place is read again.
    mutating func keep(_ job: Job, on object: ObjectReference) {
        switch job.work {
        case .report(let values): edge.keep(values, of: object.id, isReported: true)
        case .done(let done):
            if case .values(let values) = done.order, !values.isEmpty {
                edge.keep(values, of: object.id, isReported: false)
            }
        case .write, .step, .action, .position, .name: break
        }
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
