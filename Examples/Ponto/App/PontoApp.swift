import PontoCore
