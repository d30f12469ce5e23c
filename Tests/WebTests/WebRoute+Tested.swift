import Bindings
import JSON
import Messages
import Web

extension [WebRoute] {
    /// Those that capabilities provide, as the program has them.
    static let tested = [
        WebRoute.reading("/api/lifecycle") { $0.lifecycleJSON },
        WebRoute.thingHistory { request, _ in
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
        },
    ]
}
