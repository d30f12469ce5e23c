import Controller
import Flare
import JSON
import Things

/// Converts controller values to the text used in stories.
enum StoryText {
    static let names: [FlareID: String] = [
        House.home: "home", House.office: "office", House.studio: "studio", House.kitchen: "kitchen",
        House.living: "living-room", House.meeting: "meeting", House.lamp: "lamp",
        House.floorLamp: "floor-lamp",
        House.kettle: "kettle", House.screen: "screen", House.homeDevice: "home-device",
        House.officeDevice: "office-device", House.id(1001): "new-device",
    ]

    private static func name(_ id: FlareID) -> String { names[id] ?? "\(id)" }

    private static func name(_ id: FlareID?) -> String { id.map { name($0) } ?? "none" }

    private static func text(_ point: Point3D) -> String { "\(point.json.text)" }

    static func timer(_ timer: ControllerTimer) -> String {
        switch timer {
        case .exitCheck: "exit check"
        case .presenceCheck: "presence check"
        case .presenceLost: "presence lost"
        case .positionDue: "position due"
        case .headingDue: "heading due"
        case .transitionStep(let id): "transition step of \(name(id))"
        case .readAgain: "read again"
        case .edgeDue(let id): "edge due of \(name(id))"
        case .slice(let event): timer == .sensorGrace ? "sensor grace" : "\(event.value)"
        case .node(let node, let timer): "\(self.timer(timer)) of \(node)"
        }
    }

    static func line(_ effect: ControllerEffect) -> String {
        switch effect {
        case .flare(let request): "ask: \(asked(request))"
        case .edge(let order):
            "send \(name(order.thing)): \(order.orders.map { sent($0) }.joined(separator: ", ")), until \(order.deadline - start)"
        case .trackBeacons(nil): "track no beacons"
        case .trackBeacons(let place?):
            "track beacons of \(name(place.environment.id)): \(place.things.map { name($0.id) }.joined(separator: ", "))"
        case .switchSensor(let sensor, let on): "switch \(sensor.rawValue) \(on ? "on" : "off")"
        case .startTimer(let timer, let milliseconds): "start timer \(milliseconds) ms: \(self.timer(timer))"
        case .stopTimer(let timer): "stop timer: \(self.timer(timer))"
        case .remember(.environment(let id)): "remember environment \(name(id))"
        case .remember(.device(let id, let environment)):
            "remember device \(name(id)) in \(name(environment))"
        case .remember(.slug(let slug, let object, _)):
            "remember slug \(slug) of \(object.kind.rawValue) \(name(object.id))"
        case .remember(.slugForgotten(let object)):
            "forget slug of \(object.kind.rawValue) \(name(object.id))"
        case .remember(.announced(let topic, _)): "remember what was announced on \(topic)"
        case .remember(.withdrawn(let topic)): "forget what was announced on \(topic)"
        case .remember(.root(let root, let isUsed)): "\(isUsed ? "remember" : "forget") the root \(root)"
        case .remember(.epoch(let epoch)): "remember the run \(epoch)"
        case .remember(.link(let name, let thing)):
            "remember link \(name): \(thing.map { self.name($0) } ?? "nothing")"
        case .announce: "announce"
        case .remember(.sensor(let sensor, let on)): "remember \(sensor.rawValue) \(on ? "on" : "off")"
        case .remember(.position(nil, let environment)):
            "forget the age of the position in \(name(environment))"
        case .remember(.position(.held(let since)?, let environment)):
            "remember a position in \(name(environment)) since \(since)"
        case .remember(.position(.ended(let at)?, let environment)):
            "remember the last position in \(name(environment)) at \(at)"
        case .remember(.position(.ofAnother?, let environment)):
            "remember that the position in \(name(environment)) is another device's"
        case .remember(.slice(let record)):
            "log \((record.value as? Lifecycle.LoggedCall)?.transition.call.rawValue ?? "?")"
        case .remember(.node(let node, let record)): "\(node): \(line(.remember(record)))"
        case .answer(let answer): "answer \(answer.ticket): \(outcome(answer))"
        case .log(let record): "log the answer to \(record.answer.ticket)"
        case .emit(let event): "tell \(event.sequence): \(told(event))"
        case .resendState: "send the state again"
        case .readConfiguration: "read the configuration"
        case .rebuild: "rebuild"
        case .restart: "restart"
        case .setLogLevel(let level): "log level \(level)"
        case .node(let node, let effect): "\(node): \(line(effect))"
        }
    }

    private static func outcome(_ answer: Answer) -> String {
        let target = answer.target.map { " \($0.kind) \($0.slug)" } ?? ""
        let tx = answer.tx.map { " tx \($0)" } ?? ""
        if let refusal = answer.refusal {
            return "\(refusal.code.rawValue)\(target)\(tx): \(refusal.message)"
        }
        return "ok\(target)\(tx) \(JSONValue.object(answer.accepted))"
    }

    private static func told(_ event: ChangeEvent) -> String {
        var words = [event.topic.rawValue, event.type]
        if let id = event.id { words.append(name(id)) }
        if let before = event.before { words.append("from \(before)") }
        if let after = event.after { words.append("to \(after)") }
        if !event.details.isEmpty { words.append("\(JSONValue.object(event.details))") }
        words.append("by \(event.cause.source)")
        if let tx = event.cause.tx { words.append("tx \(tx)") }
        return words.joined(separator: " ")
    }

    /// Milliseconds since 1970 at which stories begin.
    private static let start = Rig.moment(0).wallMilliseconds

    private static func sent(_ order: ObjectOrder) -> String {
        switch order {
        case .values(let values): "set \(JSONValue.object(values))"
        case .action(let action): "do \(action)"
        case .position(let position): "move to \(text(position))"
        case .name(let new, _): "rename \(new)"
        }
    }

    private static func asked(_ request: FlareRequest) -> String {
        switch request {
        case .loadEnvironments: "environments"
        case .loadPlace(let id): "place \(name(id))"
        case .loadDevice(let id, let environment): "device \(name(id)) in \(name(environment))"
        case .createDevice(let draft, let environment): "make device \(draft.name) in \(name(environment))"
        case .loadPresence(let id, _, let position): "presence of \(name(id)) at \(text(position))"
        case .subscribe(let id): "subscribe \(name(id))"
        case .unsubscribe(let id): "unsubscribe \(name(id))"
        case .setData(let object, let values, _, _): "set \(name(object.id)) \(JSONValue.object(values))"
        case .setPosition(let object, let position, let sender):
            "move \(name(object.id)) to \(text(position))\(sender == nil ? " without sender" : "")"
        case .performAction(let object, let action, _): "do \(action) on \(name(object.id))"
        case .renameDevice(let id, _, let new): "rename \(name(id)) \(new)"
        case .create(let kind, let edit, let zone, let environment):
            "make \(kind.rawValue) \(edit.name ?? "?") in \((zone ?? environment).map { name($0) } ?? "-")"
        case .change(let object, let edit):
            "edit \(name(object.id)) \(JSONValue.object(edit.members(over: [:])))"
        case .remove(let object, let withContents):
            "remove \(name(object.id))\(withContents ? " with contents" : "")"
        }
    }

    /// The text of a server event.
    static func heard(_ event: FlareEvent) -> String {
        switch event {
        case .linkUp: "link up"
        case .linkDown(let reason): "link down: \(reason)"
        case .replied(let request, .success): "done: \(asked(request))"
        case .replied(let request, .failure(let error)): "failed: \(asked(request)): \(error)"
        case .notice(.enter(let zone, let device)): "\(name(device)) enters \(name(zone))"
        case .notice(.exit(let zone, let device)): "\(name(device)) leaves \(name(zone))"
        case .notice(.near(let thing, let device, _)): "\(name(device)) is near \(name(thing))"
        case .notice(.far(let thing, let device)): "\(name(device)) is far from \(name(thing))"
        case .notice(.data(let object, let values, _)): "\(name(object.id)) has \(JSONValue.object(values))"
        case .notice(.position(let object, let position, _)): "\(name(object.id)) is at \(text(position))"
        case .notice(.handleAction(let object, let action, _)): "\(action) on \(name(object.id))"
        case .notice(.thingChanged(let thing, let new, _)):
            "\(name(thing)) \(new == nil ? "is removed" : "is changed")"
        case .notice(.modelChanged(let object, _)): "\(name(object.id)) is another"
        }
    }

    // MARK: State

    /// The part of the state that stories record.
    static func view(_ state: ControllerState) -> JSONObject {
        var view: JSONObject = [
            "link": .bool(state.isLinkUp), "environment": .string(name(state.environmentID)),
            "zone": .string(name(state.zoneID)), "nearby": .string(name(state.nearbyID)),
            "device": .string(name(state.device?.id)), "position": state.device?.position?.json ?? .null,
            "angle": state.angle.map { .number($0) } ?? .null, "placeKnown": .bool(state.isPlaceKnown),
            "fix": state.fix.map { .string("\($0.quality.rawValue) by \($0.source)") } ?? .null,
        ]
        for (sensor, on) in state.sensors { view["sensor \(sensor.rawValue)"] = .bool(on) }
        for (id, alert) in state.alerts { view["alert \(id)"] = .string(alert.message) }
        for (id, thing) in state.things {
            view["thing \(state.slugs[.thing, id] ?? "")"] = .object(thing.data)
        }
        for (id, goal) in state.goals {
            let plain = ThingShape(FlareThing(id: id)).stored(goal, in: [:])
            view["goal \(state.slugs[.thing, id] ?? "")"] = .object(plain)
        }
        return view
    }

    /// The differing members; null for those that were removed.
    static func difference(_ old: JSONObject, _ new: JSONObject) -> JSONValue {
        var difference = new.filter { old[$0.key] != $0.value }
        for key in old.keys where new[key] == nil { difference[key] = .null }
        return .object(difference)
    }
}
