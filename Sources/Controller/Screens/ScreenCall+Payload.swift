import JSON
import Text
import Things

extension ScreenCall {
    /// A call or the name of a screen: as one word, or as the member `call` with `screen` and `thing`.
    init(_ payload: CommandPayload) throws(Refusal) {
        guard case .object(let members) = payload else {
            self = try Self.named(try payload.word(named: "call"))
            return
        }
        var fields = CommandFields(members)
        let word = try fields.text("call")?.trimmingSpace
        guard let word, !word.isEmpty else {
            throw Refusal(.invalidValue, "call is missing; legal: \(Self.legal)", field: "call")
        }
        guard word == Name.pushScreen.rawValue else {
            var call = try Self.named(word)
            if case .pushScreen(let screen, _) = call {
                call = .pushScreen(screen, thing: try Self.thing(&fields))
            }
            try fields.finish()
            self = call
            return
        }
        let screen = try fields.text("screen")?.trimmingSpace
        let thing = try Self.thing(&fields)
        try fields.finish()
        guard let screen, !screen.isEmpty else {
            throw Refusal(.invalidValue, "pushScreen needs a screen", field: "screen")
        }
        self = .pushScreen(screen, thing: thing)
    }

    private static let legal = QuotedValue.list(Name.allCases.map(\.rawValue)) + ", or the name of a screen"

    private static func named(_ word: String) throws(Refusal) -> ScreenCall {
        switch Name(rawValue: word) {
        case .pushScreen:
            throw Refusal(
                .invalidValue,
                "pushScreen needs a screen: {\"call\":\"pushScreen\",\"screen\":…}, or the screen's name alone",
                field: "screen"
            )
        case .back: return .back
        case .navigateHome: return .navigateHome
        case .startApplication: return .startApplication
        case .signInComplete: return .signInComplete
        case .sessionClosed: return .sessionClosed
        case nil:
            guard (1...200).contains(word.unicodeScalars.count) else {
                throw Refusal(
                    .invalidValue,
                    "call must have 1 to 200 characters (is \(QuotedValue.of(word))); legal: \(legal)",
                    field: "call"
                )
            }
            return .pushScreen(word, thing: nil)
        }
    }

    /// A thing by slug or identifier; `null` is none.
    private static func thing(_ fields: inout CommandFields) throws(Refusal) -> String? {
        fields.removeNull("thing") ? nil : try fields.text("thing")
    }
}
