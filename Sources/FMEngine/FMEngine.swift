import FMCore
