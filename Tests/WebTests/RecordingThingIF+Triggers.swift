import Bindings
import JSON
import People
import Things

@testable import Web

/// One trigger, 1.
extension RecordingThingIF {
    private static let trigger: JSONObject = [
        "triggerID": "1", "triggersWhat": "COMMAND", "title": "Evening", "disabled": false,
        "predicate": ["eventSource": "SCHEDULE", "schedule": "0 7 * * *"],
        "command": [
            "actions": [["on": true]], "issuer": "user:bob", "schema": "lamp", "schemaVersion": 1,
            "target": .string("thing:\(thing)"),
        ],
    ]

    func addTrigger(
        _ trigger: JSONObject,
        of target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<String, BindingsError> {
        result("1") { $0.triggers.append(("add", "", trigger)) }
    }

    func triggers(
        of target: TargetName,
        limit: Int,
        after key: String?,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        result(["triggers": [.object(Self.trigger)], "nextPaginationKey": "1"]) {
            $0.lists.append((limit, key))
        }
    }

    func trigger(
        _ id: String,
        of target: TargetName,
        for caller: BindingCaller
    ) async -> Result<JSONObject, BindingsError> {
        result(Self.trigger)
    }

    func changeTrigger(
        _ id: String,
        of target: TargetName,
        with members: JSONObject,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Void, BindingsError> {
        result(()) { $0.triggers.append(("change", id, members)) }
    }

    func turnTrigger(
        _ id: String,
        of target: TargetName,
        isOn: Bool,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Void, BindingsError> {
        result(()) { $0.triggers.append((isOn ? "enable" : "disable", id, [:])) }
    }

    func removeTrigger(
        _ id: String,
        of target: TargetName,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<Void, BindingsError> {
        result(()) { $0.triggers.append(("remove", id, [:])) }
    }
}
