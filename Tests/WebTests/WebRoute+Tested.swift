import Bindings
import HTTPListener
import JSON
import Messages
import Web

extension [WebRoute] {
    /// Those that capabilities provide, as the program has them.
    static let tested =
        [WebRoute.reading("/api/lifecycle") { $0.lifecycleJSON }, history]
        + WebRoute.bindings { request, _, _ in .binding(request) }
        + WebRoute.rules { request, _, _ in .rule(request) }
        + WebRoute.survey { request, _, _ in .survey(request) }
        + WebRoute.devices { request, _, _ in .device(request) }

    private static let history = WebRoute.thingHistory { request, _, _ in
        var answer: JSONObject = ["truncated_before": 1_760_000_000_000]
        if request.isGrouped {
            let mean: JSONValue = ["name": "mean_temperature", "value": 21.5]
            answer["groupedResults"] = [
                ["range": ["from": 1_760_000_400_000, "to": 1_760_001_300_000], "aggregations": [mean]]
            ]
        } else {
            answer["results"] = [["temperature": 21.5, "_created": 1_760_000_000_000]]
        }
        return .success(answer)
    }
}

extension LocalResponse {
    /// What the capability would answer about the thing v-1.
    fileprivate static func binding(_ request: LocalRequest) -> LocalResponse {
        switch (request.method, request.path.count, request.path.last ?? "") {
        case ("GET", 2, _): json(["bindings": [.object(row)]])
        case ("GET", _, _):
            json(
                .object(
                    row.merging([
                        "interval": "15_MINUTES", "properties": ["name": "Meter"],
                        "state": ["temperature": 21.5],
                    ]) { $1 }
                )
            )
        case ("POST", _, "onboard"):
            json(["thingID": .string(thing), "accessToken": .string(token), "ignored": ["thingType"]])
        case ("POST", _, "expect"): json(["thingPassword": "abcdefghjkmnpqrstuvwxyz2"])
        case ("POST", _, "token"): json(["accessToken": .string(token)])
        default: LocalResponse(204)
        }
    }

    private static func json(_ body: JSONValue) -> LocalResponse { LocalResponse(200, body.bytes) }

    private static let thing = "th.00000000000000000000000000000001"
    private static let token = "tlt_" + String(repeating: "A", count: 43)

    private static let row: JSONObject = [
        "vendor": "v-1", "thingID": .string(thing), "type": "meter", "owned": true, "route": "edge",
        "thing": "meter", "owners": ["bob"], "made": "2026-11-21T10:18:53Z", "seen": "2026-11-21T10:18:53Z",
    ]
}

extension LocalResponse {
    /// What the capability would answer about the rule `bright`.
    fileprivate static func rule(_ request: LocalRequest) -> LocalResponse {
        switch (request.method, request.path.count, request.path.last ?? "") {
        case ("GET", 2, _): json(["rules": [.object(ruleRow.merging(["next": time]) { $1 })]])
        case ("POST", 2, _):
            LocalResponse(201, JSONValue.object(made).bytes)
        case ("PUT", 3, _): json(.object(made))
        case ("GET", _, "explain"):
            json(["lines": [["ts": time, "result": "edge", "why": "state lamp on true -> true", "count": 2]]])
        case ("GET", _, _):
            json(.object(ruleRow.merging(["next": [time], "added": time, "changed": time]) { $1 }))
        case ("POST", _, "test"):
            json([
                "wouldFire": true,
                "lines": [
                    ["path": "when[0]", "truth": "true", "what": "lamp is on", "saw": "on true"]
                ],
            ])
        default: LocalResponse(204)
        }
    }

    private static let time: JSONValue = "2026-11-21T10:18:53Z"

    private static let made: JSONObject = [
        "id": 1, "slug": "bright", "form": "rule",
        "warnings": ["colour is unknown; it is kept and means nothing"],
    ]

    private static let ruleRow: JSONObject = [
        "id": 1, "slug": "bright", "title": "Bright", "enabled": true, "state": "suspended",
        "suspended": "rights", "form": "rule", "maker": "bob",
        "sentence": "When lamp is on: fan does \"high\".",
        "last": ["ts": "2026-11-21T10:18:53Z", "why": "state lamp on false -> true", "outcome": "done"],
    ]
}

extension LocalResponse {
    /// What the capability would answer about the point `door`.
    fileprivate static func survey(_ request: LocalRequest) -> LocalResponse {
        switch (request.method, request.path.last ?? "") {
        case ("GET", "survey"):
            json([
                "environment": "000000000000000100000000", "points": [.object(point)], "least_points": 3,
                "receivers": [["receiver": "hci0", "points": 1, "heard": true, "map": "plain"]],
                "measurement": .null,
            ])
        case ("POST", "points"):
            LocalResponse(
                201,
                JSONValue.object([
                    "stored": true, "message": "the survey has 1 point", "name": "door", "x": 0.5, "y": 0.2,
                    "seconds": 12, "receiver": "hci0", "heard_seconds": 12, "beacons": 4, "packets": 120,
                    "misfit": 1.1, "doubtful": ["sofa"],
                ]).bytes
            )
        case ("GET", "measurement"):
            json([
                "name": "door", "seconds": 12, "elapsed": 3, "heard_seconds": 3, "beacons": 4, "packets": 30,
            ])
        case ("DELETE", "measurement"): LocalResponse(204)
        case ("DELETE", _): json(["forgotten": 1])
        case ("GET", "export"): json(["csv": "point,x,y,beacon_id,level_db,packets\n", "points": 1])
        case ("POST", "import"):
            LocalResponse(
                201,
                JSONValue.object([
                    "points": 1, "ignored": 0, "receiver": "hci0", "message": "the survey has 1 point",
                ]).bytes
            )
        default:
            json(
                .object(
                    point.merging([
                        "misfit": 1.1,
                        "levels": [
                            [
                                "beacon": "Desk lamp", "thing": "000000000000000300000000", "level_db": -12.5,
                                "packets": 60, "spread_db": 4.2,
                            ]
                        ],
                    ]) { $1 }
                )
            )
        }
    }

    private static let point: JSONObject = [
        "id": 1, "name": "door", "floor": 0, "x": 0.5, "y": 0.2, "z": 0, "receiver": "hci0", "beacons": 4,
        "taken_at": "2026-11-21T10:18:53Z", "seconds": 12,
    ]
}

extension LocalResponse {
    /// What the capability would answer about the device `anna`.
    fileprivate static func device(_ request: LocalRequest) -> LocalResponse {
        switch (request.method, request.path.count, request.path.dropFirst().first ?? "") {
        case ("GET", _, "heard"):
            json([
                [
                    "id": "phone:anna", "kind": "other", "since": time, "last": time, "can_be_added": true,
                    "levels": [
                        ["receiver": "kitchen", "rssi": -60.5, "change": 12],
                        ["receiver": "hall", "rssi": -70],
                    ],
                ]
            ])
        case ("GET", 2, _): json([.object(deviceRow), .object(deviceRow.merging(["problem": "no"]) { $1 })])
        case ("POST", _, _): LocalResponse(201, JSONValue.object(deviceRow).bytes)
        case ("DELETE", _, _): json(["node": "anna", "in_file": false, "grants": []])
        default: json(.object(deviceRow))
        }
    }

    private static let deviceRow: JSONObject = [
        "node": "anna", "name": "Anna's phone", "kind": "phone", "user": "anna", "source": "database",
        "heard_as": ["irk:***", "phone:anna"], "location": "owntracks/anna/phone",
    ]
}
