package import JSON
import Text
import Things

/// Changes what a display shows.
package struct ShowScreen: SliceCommand {
    let call: ScreenCall
    /// Its id, or ``ScreenCall/everyDisplay``.
    let display: String

    package var permission: ChangeRequest.Kind? { .control }
    package var answerTarget: Answer.Target? { .init(kind: "display", slug: display) }
    package var logName: String { "screen" }
    package var logTarget: String? { display }
    package var logValues: JSONValue? {
        var values: JSONObject = ["call": .string(call.name.rawValue)]
        if case .pushScreen(let screen, let thing) = call {
            values["screen"] = .string(screen)
            values["thing"] = thing.map { .string($0) }
        }
        return .object(values)
    }
    package var summary: CommandSummary? {
        CommandSummary("\(call.name.rawValue) on display \(QuotedValue.clipped(display, to: 64))")
    }
}

extension CommandDescriptor {
    package static let screenSet = CommandDescriptor(
        "display/{display}/screen/set",
        web: "display/{display}/screen"
    ) { topic, payload throws(Refusal) in
        ShowScreen(call: try ScreenCall(payload), display: topic.name)
    }
}
