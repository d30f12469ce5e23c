import Bindings
import JSON
import Testing
import Things

struct ThingIFErrorTests {
    @Test func `every refusal has a status and a code`() {
        let errors = RefusalCode.allCases.map { ThingIFError(Refusal($0, "no"), about: .thing) }
        let statuses = Dictionary(grouping: errors, by: \.status).mapValues { Set($0.map(\.errorCode)) }
        #expect(
            statuses == [
                400: ["INVALID_INPUT_DATA"], 401: ["UNAUTHORIZED"], 403: ["FORBIDDEN"],
                404: ["THING_NOT_FOUND", "TRIGGER_NOT_FOUND"],
                409: [
                    "CONFLICT", "NOT_ONBOARDED", "ALREADY_ONBOARDED", "STATE_HISTORY_NOT_AVAILABLE",
                    "NOT_NOTIFIABLE", "NOT_SCHEDULABLE",
                ],
                429: ["TOO_MANY_REQUESTS"], 500: ["INTERNAL_ERROR"],
                502: ["SERVER_REJECTED"],
                503: ["SERVICE_UNAVAILABLE", "THING_OFFLINE"], 504: ["TIMEOUT"],
            ]
        )
    }

    @Test(arguments: [
        (ThingIFError.Subject.app, "APP_NOT_FOUND"), (.thing, "THING_NOT_FOUND"),
        (.target, "TARGET_NOT_FOUND"),
        (.installation, "INSTALLATION_NOT_FOUND"), (.commandID, "COMMAND_NOT_FOUND"),
    ])
    func `what is not found is named`(subject: ThingIFError.Subject, code: String) {
        let error = ThingIFError(Refusal(.unknownThing, "no"), about: subject)
        #expect(error.status == 404)
        #expect(error.errorCode == code)
    }

    @Test func `a command that is wrong has a code of its own`() {
        let error = ThingIFError(
            Refusal(.invalidValue, "actions are missing", field: "actions"),
            about: .command
        )
        #expect(error.status == 400)
        #expect(
            error.json == [
                "errorCode": "WRONG_COMMAND", "message": "actions are missing",
                "invalidFields": ["actions": "actions are missing"],
            ]
        )
    }

    @Test(arguments: [
        (BindingsError.notOnboarded("no"), 409, "NOT_ONBOARDED", "not_onboarded"),
        (.alreadyOnboarded("no"), 409, "ALREADY_ONBOARDED", "already_onboarded"),
        (.historyNotAvailable("no"), 409, "STATE_HISTORY_NOT_AVAILABLE", "history_not_available"),
        (.thingOffline("no"), 503, "THING_OFFLINE", "thing_offline"),
        (.refused(Refusal(.notAllowed, "no")), 403, "FORBIDDEN", "not_allowed"),
    ])
    func `an error of a binding has a status and two codes`(
        error: BindingsError,
        status: Int,
        errorCode: String,
        code: String
    ) {
        let answer = ThingIFError(error, about: .target)
        #expect(answer.status == status)
        #expect(answer.json == ["errorCode": .string(errorCode), "message": "no"])
        #expect(error.code == code)
    }
}
